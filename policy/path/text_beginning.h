#pragma once

#include <string_view>

namespace bartizan {

/// Whether the beginning of a file is text: valid UTF-8 without NUL. An empty file is text.
///
/// Input: `is_whole` if the file ends there; otherwise its last character may be cut.
/// Cost:  one pass; no memory.
bool begins_as_text(std::string_view beginning, bool is_whole);

}  // namespace bartizan
