#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/finding_severity.h"

namespace bartizan {

/// The words of a text in their original spelling. Punctuation is removed, except for characters in
/// names of files and tools. Lifetime: views the text.
std::vector<std::string_view> words_of(std::string_view text);

/// The words of a text for the search of phrases. Compatibility forms and letter case are folded,
/// invisible characters removed.
std::vector<std::string> spoken_words(std::string_view text);

/// Whether a word names a place of credentials, such as `~/.ssh/id_rsa`, and hardly anything else.
bool is_secret_place(std::string_view word);

/// A phrase that addresses the model.
struct InstructionPhrase {
  FindingSeverity severity;
  /// Words with one blank between them. `|` separates alternatives, `~N` is up to N other words,
  /// `@place` is a word with `is_secret_place`, `@settings` is `.env` and the like.
  std::string_view pattern;
  std::string_view meaning;  ///< What it demands of the model.
};

/// The most severe phrase in a text, or null. No benign definition examined has high phrases; some
/// have medium ones.
///
/// Cost: one look-up for each word, and the phrases that begin with it.
const InstructionPhrase* find_instruction(const std::vector<std::string>& words);

/// The mark of a block for the model, such as `<IMPORTANT>`; empty for none.
std::string_view find_marked_block(std::string_view text);

}  // namespace bartizan
