#pragma once

#include <cstddef>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Overwrites each `\u` escape of a lone surrogate with `\uFFFD`, the replacement character. All
/// other bytes, and the length, stay. Returns the number of replacements.
///
/// Input:  any text. If the text is JSON except for such escapes, the result is JSON.
/// Cost:   one search for backslashes.
/// Source: RFC 8259 §8.2: readers handle such escapes unpredictably.
std::size_t replace_lone_surrogates(Bytes& text);

}  // namespace bartizan
