#pragma once

#include <string_view>

namespace bartizan {

/// Whether a text is a permission such as `read:filesystem`. Its segments are letters, digits, `_`,
/// `.` and `-`, separated by colons. In a grant of a role, a segment may be `*`.
bool is_permission(std::string_view text);
bool is_permission_grant(std::string_view text);

/// Whether a grant covers a permission: each segment is equal, or `*` in the grant.
bool grants_permission(std::string_view grant, std::string_view permission);

}  // namespace bartizan
