#pragma once

#include <string_view>

namespace bartizan {

/// Whether a text is base64 of `user:password`. The HTTP scheme `Basic` and files of npm and Docker
/// have that form.
/// Source: RFC 7617 section 2.
bool is_basic_credential(std::string_view value);

/// Whether its password is a placeholder: `user:password`, `Aladdin:open sesame`.
bool is_example_credential(std::string_view value);

}  // namespace bartizan
