#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/house_rules.h"

namespace bartizan {

/// One sentence of a page.
struct Sentence {
  std::size_t line = 0;   ///< Where its paragraph, list item or table row begins.
  std::size_t words = 0;  ///< Code between backticks is one word.
  bool is_in_table = false;
};

/// The sentences of a page in Markdown. Headings and fenced code have none.
std::vector<Sentence> sentences_of(std::string_view page);

/// Pages of the manual, of folders and rooms, the design and its decisions are in short sentences:
/// 15 words in the mean, and none of more than 35. Sentences in tables do not count for the mean.
/// Answers as the other rules do.
std::vector<std::string> long_sentences(const Tree& tree);

}  // namespace bartizan
