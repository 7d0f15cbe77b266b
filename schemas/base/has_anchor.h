#pragma once

#include <string_view>

namespace bartizan {

/// Whether a pattern in RE2's syntax has an anchor at the beginning or the end of a text or a line.
/// May be wrongly true for a pattern with `\Q`.
/// Cost: one pass.
bool has_anchor(std::string_view pattern);

}  // namespace bartizan
