#pragma once

#include <string_view>

namespace bartizan {

/// Whether a value is a location or a description instead of a secret: a path of a file or of
/// members, a URL, the name of a resource, a pattern, or an abbreviated value. Passwords may have
/// such beginnings and ends, but their parts are not names.
bool is_reference(std::string_view value);

}  // namespace bartizan
