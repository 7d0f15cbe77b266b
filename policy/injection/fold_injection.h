#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Whether a text has characters that look like Latin letters but are others, or invisible ones
/// between letters: letters of double width, mathematical letters, Cyrillic letters beside Latin
/// ones, characters without width.
///
/// Cost: linear; for ASCII, that of reading it.
bool needs_folding(std::string_view text);

/// The form of a text in which phrases are searched: compatibility forms and case folded, without
/// invisible characters. In words with Latin letters, look-alikes become Latin letters.
///
/// Input: UTF-8. Cost: linear.
/// Source: Unicode 15.0, NFKC_Casefold; UTS 39 §4, of which a few letters.
std::string fold_injection(std::string_view text);

}  // namespace bartizan
