#pragma once

#include <string_view>

namespace bartizan {

/// Whether the beginning of a file is text: valid UTF-8 without NUL. Nothing at all is text.
///
/// Input: `is_whole` where the file ends there; else its last character may be cut.
/// Cost:  one pass; no memory.
bool begins_as_text(std::string_view beginning, bool is_whole);

}  // namespace bartizan
