#include "tests/house/prose_rules.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

namespace bartizan {
namespace {

constexpr std::size_t kWordsMax = 35;
constexpr std::size_t kMeanMax = 15;

/// A paragraph, a list item or a cell.
struct Block {
  std::size_t line = 0;
  bool is_cell = false;
  std::string text = {};
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool consists_of(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == text.npos;
}

/// The text of a list item; empty for what is none.
std::string_view item_of(std::string_view line) {
  std::size_t at = 0;
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) {
    at = 1;
  } else {
    while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0)
      ++at;
    if (at == 0 || at + 1 >= line.size() || (line[at] != '.' && line[at] != ')')) return {};
    ++at;
    if (line[at] != ' ') return {};
  }
  return trimmed(line.substr(at));
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t at = 1; at < row.size(); ++at) {
    const bool is_border = row[at] == '|' && row[at - 1] != '\\';
    if (!is_border) cell += row[at];
    if (is_border || at + 1 == row.size()) {
      if (!trimmed(cell).empty()) cells.emplace_back(trimmed(cell));
      cell.clear();
    }
  }
  return cells;
}

std::vector<Block> blocks_of(std::string_view page) {
  std::vector<Block> blocks;
  Block block;
  bool is_fenced = false;
  const auto end_block = [&] {
    if (!block.text.empty()) blocks.push_back(std::move(block));
    block = {};
  };
  std::istringstream lines{std::string(page)};
  std::size_t number = 0;
  for (std::string whole; std::getline(lines, whole);) {
    ++number;
    std::string_view line = trimmed(whole);
    if (line.starts_with("```") || line.starts_with("~~~")) {
      end_block();
      is_fenced = !is_fenced;
      continue;
    }
    if (is_fenced) continue;
    const bool is_rule = line.size() >= 3 && consists_of(line, "-*_");
    if (line.empty() || line.starts_with('#') || line.starts_with('<') || is_rule) {
      end_block();
      continue;
    }
    if (line.starts_with('|')) {
      end_block();
      if (consists_of(line, "|:- ")) continue;
      for (std::string& cell : cells_of(line))
        blocks.push_back({number, true, std::move(cell)});
      continue;
    }
    if (const std::string_view item = item_of(line); !item.empty()) {
      end_block();
      block = {number, false, std::string(item)};
      continue;
    }
    while (line.starts_with('>') || line.starts_with("> "))
      line = trimmed(line.substr(1));
    if (block.text.empty()) block.line = number;
    if (!block.text.empty()) block.text += ' ';
    block.text += line;
  }
  end_block();
  return blocks;
}

/// Without what is no prose: code is one word, a link is its text, marks of emphasis are nothing.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '`') {
      const std::size_t end = text.find('`', at + 1);
      if (end != text.npos) {
        out += "CODE";
        at = end;
        continue;
      }
    }
    if (letter == ']' && at + 1 < text.size() && text[at + 1] == '(') {
      const std::size_t end = text.find(')', at);
      if (end != text.npos) {
        at = end;
        continue;
      }
    }
    if (letter != '*' && letter != '_' && letter != '[' && letter != '`') out += letter;
  }
  return out;
}

std::size_t count_words(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::size_t count = 0;
  for (std::string word; words >> word;) {
    const bool has_letter = std::ranges::any_of(word, [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
             static_cast<unsigned char>(letter) >= 0x80;
    });
    if (has_letter) ++count;
  }
  return count;
}

/// Whether a sentence ends with the blank at that place: a stop before it, a new beginning after.
bool is_end(std::string_view text, std::size_t blank) {
  std::size_t before = blank;
  while (before > 0 && (text[before - 1] == ')' || text[before - 1] == '"'))
    --before;
  if (before == 0 || !std::string_view(".!?").contains(text[before - 1])) return false;
  std::size_t after = text.find_first_not_of(' ', blank);
  while (after < text.size() && (text[after] == '"' || text[after] == '('))
    ++after;
  if (after >= text.size()) return true;
  const auto letter = static_cast<unsigned char>(text[after]);
  return std::isupper(letter) != 0 || std::isdigit(letter) != 0;
}

/// Pages that are held to short sentences: all but the plan, the list of changes and notices. Of
/// tests/deploy the page was not rewritten yet.
bool is_held(std::string_view path) {
  if (!path.ends_with(".md") || path == "tests/deploy/README.md") return false;
  if (path.starts_with("docs/")) return path != "docs/PLAN.md";
  return path.ends_with("README.md") || path == "CONTRIBUTING.md" || path == "DESIGN.md" ||
         path == "SECURITY.md";
}

}  // namespace

std::vector<Sentence> sentences_of(std::string_view page) {
  std::vector<Sentence> sentences;
  for (const Block& block : blocks_of(page)) {
    const std::string text = plain(block.text);
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (at < text.size() && (text[at] != ' ' || !is_end(text, at))) continue;
      const std::size_t words = count_words(std::string_view(text).substr(begin, at - begin));
      if (words > 0) sentences.push_back({block.line, words, block.is_cell});
      begin = at;
    }
  }
  return sentences;
}

std::vector<std::string> long_sentences(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!is_held(path)) continue;
    std::size_t words = 0;
    std::size_t count = 0;
    for (const Sentence& one : sentences_of(content)) {
      if (one.words > kWordsMax) {
        found.push_back(path + ':' + std::to_string(one.line) + ": a sentence of " +
                        std::to_string(one.words) + " words");
      }
      if (one.is_in_table) continue;
      words += one.words;
      ++count;
    }
    if (words > kMeanMax * count) {
      found.push_back(path + ": " + std::to_string(words) + " words in " + std::to_string(count) +
                      " sentences, more than 15 in the mean");
    }
  }
  return found;
}

}  // namespace bartizan
