#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/finding_severity.h"

namespace bartizan {

/// The words of a text as they stand in it: punctuation gone but for what names of files and tools
/// have in them. Lifetime: views the text.
std::vector<std::string_view> words_of(std::string_view text);

/// The words of a text as phrases are looked for in them: compatibility forms and letter case
/// folded, what nobody sees left out.
std::vector<std::string> spoken_words(std::string_view text);

/// Whether a word names a place where credentials lie, and little else: `~/.ssh/id_rsa`.
bool is_secret_place(std::string_view word);

/// A way to talk to the model, in words.
struct InstructionPhrase {
  FindingSeverity severity;
  /// Words apart by one blank, `|` between those that are alike, `~N` for up to N others, `@place`
  /// for one that is `is_secret_place`, `@settings` for `.env` and the like.
  std::string_view pattern;
  std::string_view meaning;  ///< What it asks of the model.
};

/// The most serious phrase in a text, or null. High ones stand in no honest definition that was
/// seen; medium ones stand in some.
///
/// Cost: one look-up for each word, and the phrases that begin with it.
const InstructionPhrase* find_instruction(const std::vector<std::string>& words);

/// A block that is set off for the model, such as `<IMPORTANT>`: by what, or empty.
std::string_view find_marked_block(std::string_view text);

}  // namespace bartizan
