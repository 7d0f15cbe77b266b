#pragma once

#include <string_view>

namespace bartizan {

/// Whether a text is base64 of a user and a password with a colon between, as the scheme `Basic` of
/// HTTP has them, and files of npm and Docker. Source: RFC 7617 section 2.
bool is_basic_credential(std::string_view value);

/// Whether the password in it stands for one: `user:password`, `Aladdin:open sesame`.
bool is_example_credential(std::string_view value);

}  // namespace bartizan
