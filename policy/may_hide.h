#pragma once

#include <string_view>

namespace bartizan {

/// Whether strings of a JSON text may have anything hidden in them: not where all of it is ASCII,
/// and no escape but of a line feed, a tab, a quote or a backslash is in it.
///
/// Input: JSON that was read. Cost: one look at the bytes as they stand, no string decoded.
bool may_hide(std::string_view json);

}  // namespace bartizan
