#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Whether a text has something in it that reads like Latin letters and is written otherwise, or
/// that nobody sees between them: letters of double width, of mathematics, Cyrillic ones beside
/// Latin ones, characters without width.
///
/// Cost: linear; of ASCII, what reading it costs.
bool needs_folding(std::string_view text);

/// A text as phrases are looked for in it: compatibility forms and case folded, without what nobody
/// sees, and Latin letters in the place of those that look like them in words with Latin letters.
///
/// Input: UTF-8. Cost: linear.
/// Source: Unicode 15.0, NFKC_Casefold; UTS 39 §4, of which a few letters.
std::string fold_injection(std::string_view text);

}  // namespace bartizan
