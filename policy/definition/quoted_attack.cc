#include "policy/definition/quoted_attack.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "policy/definition/instruction_phrases.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kQuotationBytesMax = 200;
constexpr std::size_t kWordsBefore = 6;
constexpr std::size_t kBytesBefore = 120;

/// Beginnings of words that say what is done to a quotation.
constexpr auto kLooking = std::to_array<std::string_view>(
    {"detect", "flag",      "block",    "catch",   "filter",    "recogni",   "identif", "classif",
     "refus",  "reject",    "sanitis",  "sanitiz", "neutrali",  "screen",    "attack",  "attempt",
     "inject", "jailbreak", "phishing", "poison",  "malicious", "suspicious"});

struct Marks {
  std::string_view opening, closing;
};
constexpr auto kMarks = std::to_array<Marks>({
    {"\"", "\""},
    {"'", "'"},
    {"`", "`"},
    {"\u201c", "\u201d"},
    {"\u2018", "\u2019"},
    {"\u00ab", "\u00bb"},
});

bool is_introduction(std::string_view word) {
  return std::ranges::any_of(
      kLooking, [word](std::string_view beginning) { return word.starts_with(beginning); });
}

/// What of the sentence stands before a place, not far from it.
std::string_view sentence_before(std::string_view text, std::size_t at) {
  const std::size_t begin = at > kBytesBefore ? at - kBytesBefore : 0;
  std::string_view before = text.substr(begin, at - begin);
  for (const std::string_view end : {". ", "! ", "? ", "\n"}) {
    const std::size_t found = before.rfind(end);
    if (found != std::string_view::npos) before.remove_prefix(found + end.size());
  }
  return before;
}

bool is_introduced(std::string_view text, std::size_t at) {
  const std::vector<std::string> words = spoken_words(sentence_before(text, at));
  const std::size_t first = words.size() > kWordsBefore ? words.size() - kWordsBefore : 0;
  return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(first), words.end(),
                     is_introduction);
}

/// Whether nothing but the next place in a list stands there.
bool goes_on(std::string_view between) {
  std::vector<std::string_view> words = words_of(between);
  std::erase_if(words, [](std::string_view word) { return word == "or" || word == "and"; });
  return words.empty() && between.find('\n') == std::string_view::npos &&
         between.find('.') == std::string_view::npos;
}

/// The quotation that begins there, with its marks.
std::optional<std::size_t> quotation_size(std::string_view text, std::size_t at) {
  for (const Marks& marks : kMarks) {
    if (!text.substr(at).starts_with(marks.opening)) continue;
    // An apostrophe is no mark.
    const bool is_apostrophe = marks.opening == "'" && at > 0 && is_letter(text[at - 1]);
    if (is_apostrophe) return std::nullopt;
    const std::string_view inside =
        text.substr(at + marks.opening.size(), kQuotationBytesMax + marks.closing.size());
    const std::size_t end = inside.find(marks.closing);
    if (end == std::string_view::npos || inside.substr(0, end).contains('\n')) return std::nullopt;
    return marks.opening.size() + end + marks.closing.size();
  }
  return std::nullopt;
}

}  // namespace

std::string without_quoted_attacks(std::string_view text) {
  std::string rest;
  std::optional<std::size_t> last_end;  // Of a quotation that was left out.
  for (std::size_t at = 0; at < text.size();) {
    const auto size = quotation_size(text, at);
    if (!size.has_value()) {
      rest += text[at++];
      continue;
    }
    const bool is_listed = last_end.has_value() && goes_on(text.substr(*last_end, at - *last_end));
    if (is_listed || is_introduced(text, at)) {
      last_end = at + *size;
    } else {
      rest += text.substr(at, *size);
    }
    at += *size;
  }
  return rest;
}

}  // namespace bartizan
