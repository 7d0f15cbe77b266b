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

/// Beginnings of verbs with a quotation as their object, and of their nouns: `detects "…"`.
constexpr auto kLooking = std::to_array<std::string_view>(
    {"detect", "flag", "block", "catch", "filter", "recogni", "identif", "classif", "refus",
     "reject", "sanitis", "sanitiz", "neutrali", "screen"});
/// Beginnings of nouns with a quotation as an example: `attacks such as "…"`.
constexpr auto kLookedFor = std::to_array<std::string_view>(
    {"attack", "attempt", "inject", "jailbreak", "phishing", "poison", "malicious", "suspicious"});
/// Words that introduce an example.
constexpr auto kSuchAs = std::to_array<std::string_view>(
    {"such", "like", "as", "e.g", "eg", "i.e", "example", "examples", "including", "includes",
     "containing", "contain", "contains", "saying", "says"});
/// Words for a quotation. `This`, `the following` and `rule` are not among them, since they address
/// the reader.
constexpr auto kPhrase = std::to_array<std::string_view>(
    {"phrase",   "phrases",  "text",      "texts",       "string",       "strings", "word",
     "words",    "sentence", "sentences", "instruction", "instructions", "order",   "orders",
     "message",  "messages", "prompt",    "prompts",     "input",        "inputs",  "pattern",
     "patterns", "command",  "commands",  "content",     "contents",     "page",    "pages",
     "hidden",   "known",    "common",    "typical",     "any",          "a",       "an",
     "the",      "of",       "in",        "or",          "and",          "that",    "for",
     "to",       "which"});
/// Words that give `you` an order.
constexpr auto kOrders =
    std::to_array<std::string_view>({"must", "should", "shall", "need", "have", "will", "ought"});

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

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

template <std::size_t size>
bool begins_as(const std::array<std::string_view, size>& beginnings, std::string_view word) {
  return std::ranges::any_of(
      beginnings, [word](std::string_view beginning) { return word.starts_with(beginning); });
}

/// The part of the sentence shortly before a position. `e.g.` does not end a sentence.
std::string_view sentence_before(std::string_view text, std::size_t at) {
  const std::size_t begin = at > kBytesBefore ? at - kBytesBefore : 0;
  const std::string_view before = text.substr(begin, at - begin);
  for (std::size_t i = before.size(); i-- > 0;) {
    const std::string_view rest = before.substr(i);
    const std::string_view sentence = before.substr(0, i);
    if (rest.starts_with('\n')) return rest.substr(1);
    const bool ends = rest.starts_with(". ") || rest.starts_with("! ") || rest.starts_with("? ");
    if (ends && !sentence.ends_with("e.g") && !sentence.ends_with("i.e")) return rest.substr(2);
  }
  return before;
}

/// Whether a quotation is what a tool looks for. Only words for a phrase or an example may be
/// between the word of detection and the quotation.
bool is_introduced(std::string_view text, std::size_t at) {
  const std::vector<std::string> words = spoken_words(sentence_before(text, at));
  const std::size_t first = words.size() > kWordsBefore ? words.size() - kWordsBefore : 0;
  bool is_example = false;
  for (std::size_t i = words.size(); i-- > first;) {
    const std::string& word = words[i];
    if (begins_as(kLooking, word)) return true;
    if (is_among(kSuchAs, word)) {
      is_example = true;
    } else if (begins_as(kLookedFor, word)) {
      if (is_example) return true;
    } else if (!is_among(kPhrase, word)) {
      return false;
    }
  }
  return false;
}

/// Whether a quotation is too much of an order for an example: it names a place of credentials, or
/// says what `you` must do.
bool is_order(std::string_view quotation) {
  const std::vector<std::string> words = spoken_words(quotation);
  const auto commands = [](std::string_view word, std::string_view next) {
    return word == "you" && is_among(kOrders, next);
  };
  return std::ranges::any_of(words, is_secret_place) ||
         std::ranges::adjacent_find(words, commands) != words.end();
}

/// Whether the text only continues a list.
bool goes_on(std::string_view between) {
  std::vector<std::string_view> words = words_of(between);
  std::erase_if(words, [](std::string_view word) { return word == "or" || word == "and"; });
  return words.empty() && between.find('\n') == std::string_view::npos &&
         between.find('.') == std::string_view::npos;
}

/// The size of the quotation that begins there, with its marks.
std::optional<std::size_t> quotation_size(std::string_view text, std::size_t at) {
  for (const Marks& marks : kMarks) {
    if (!text.substr(at).starts_with(marks.opening)) continue;
    // An apostrophe is not a quotation mark.
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
  std::optional<std::size_t> last_end;  // Of a removed quotation.
  for (std::size_t at = 0; at < text.size();) {
    const auto size = quotation_size(text, at);
    if (!size.has_value()) {
      rest += text[at++];
      continue;
    }
    const std::string_view quotation = text.substr(at, *size);
    const bool is_listed = last_end.has_value() && goes_on(text.substr(*last_end, at - *last_end));
    const bool is_example = is_listed || is_introduced(text, at);
    if (is_example) last_end = at + *size;
    if (!is_example || is_order(quotation)) rest += quotation;
    at += *size;
  }
  return rest;
}

}  // namespace bartizan
