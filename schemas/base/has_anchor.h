#pragma once

#include <string_view>

namespace bartizan {

/// Whether a pattern in RE2's syntax asks for the beginning or the end of a text or a line. Of one
/// with `\Q` it may say so wrongly. Cost: one pass.
bool has_anchor(std::string_view pattern);

}  // namespace bartizan
