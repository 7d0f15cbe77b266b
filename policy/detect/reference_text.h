#pragma once

#include <string_view>

namespace bartizan {

/// Whether a value says where something is kept, or what it looks like, in place of it: a path of a
/// file or of members, a URL, the name of a resource, a pattern, a value that was cut short.
/// Passwords begin and end like that, too, but their parts are no names.
bool is_reference(std::string_view value);

}  // namespace bartizan
