#pragma once

#include <cstddef>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Writes `\uFFFD`, the replacement character, over every `\u` escape of a JSON text that is half
/// of a surrogate pair without the other half. All else, and the length, stay. Answers how many
/// there were.
///
/// Input: any text. Of a text that is JSON but for such escapes, JSON is left.
/// Cost:  one search for backslashes.
/// Source: RFC 8259 §8.2: what readers make of such an escape is unpredictable.
std::size_t replace_lone_surrogates(Bytes& text);

}  // namespace bartizan
