#pragma once

#include <string_view>

namespace bartizan {

/// Whether a text is a permission such as `read:filesystem`: segments of letters, digits, `_`, `.`
/// and `-` between colons. In what a role grants, a segment may be `*`.
bool is_permission(std::string_view text);
bool is_permission_grant(std::string_view text);

/// Whether a grant covers a permission: segment by segment the same, or `*`.
bool grants_permission(std::string_view grant, std::string_view permission);

}  // namespace bartizan
