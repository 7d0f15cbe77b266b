#include "policy/detect/custom_detector.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "policy/text/character_kind.h"
#include "schemas/base/ascii.h"
#include "schemas/base/keep_each_once.h"
#include "schemas/base/limits.h"
#include "schemas/base/required_literals.h"

namespace bartizan {
namespace {

/// A word as written, in lower case and in upper case. The search ignores case only for ASCII
/// letters.
std::vector<std::string> spellings(const std::string& word) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8(word);
  std::vector<std::string> all{word};
  icu::UnicodeString(text).toLower().toUTF8String(all.emplace_back());
  icu::UnicodeString(text).toUpper().toUTF8String(all.emplace_back());
  keep_each_once(all);
  return all;
}

/// Whether a character forms one word with an adjacent one. Scripts without spaces have no such
/// characters.
bool joins(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  return c > 0 && u_isalnum(c) && !u_hasBinaryProperty(c, UCHAR_IDEOGRAPHIC);
}

char32_t character_before(std::string_view text, std::size_t place) {
  return place == 0 ? 0 : read_character_before(text, place).value;
}

char32_t character_at(std::string_view text, std::size_t place) {
  return place >= text.size() ? 0 : read_character(text, place).value;
}

bool is_whole_word(const ScanText& text, const MatchRange& word) {
  const std::string_view bytes = text.bytes();
  const bool begins =
      text.begins_word(word.begin) &&
      !(joins(character_at(bytes, word.begin)) && joins(character_before(bytes, word.begin)) &&
        word.begin > 0 && static_cast<unsigned char>(bytes[word.begin - 1]) >= 0x80U);
  const bool ends =
      !joins(character_before(bytes, word.end)) || !joins(character_at(bytes, word.end));
  return begins && ends;
}

constexpr std::string_view kWhiteSpace = " \t\r\n";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kWhiteSpace); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kWhiteSpace, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kWhiteSpace, end);
  }
  return words;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower_case);
  return small;
}

bool is_long_enough(const std::vector<std::string>& spellings) {
  return std::ranges::all_of(spellings,
                             [](const std::string& one) { return one.size() >= kLiteralBytesMin; });
}

bool stands_at(std::string_view text, std::size_t place, std::string_view word) {
  return std::ranges::equal(text.substr(std::min(place, text.size()), word.size()), word, {},
                            lower_case, lower_case);
}

/// The size of the spelling at a place, or before it.
std::size_t size_at(std::string_view text, std::size_t place,
                    const std::vector<std::string>& spellings) {
  const auto found = std::ranges::find_if(
      spellings, [&](const std::string& one) { return stands_at(text, place, one); });
  return found == spellings.end() ? 0 : found->size();
}

std::size_t size_before(std::string_view text, std::size_t place,
                        const std::vector<std::string>& spellings) {
  const auto found = std::ranges::find_if(spellings, [&](const std::string& one) {
    return place >= one.size() && stands_at(text, place - one.size(), one);
  });
  return found == spellings.end() ? 0 : found->size();
}

/// Words with more between them do not belong together.
constexpr std::size_t kBetweenMax = 64;

/// The end of the white space at a place; nothing if there is none, or too much of it.
std::optional<std::size_t> behind_space(std::string_view text, std::size_t place) {
  const std::string_view near = text.substr(place, kBetweenMax + 1);
  const std::size_t size = near.find_first_not_of(kWhiteSpace);
  if (size == 0 || size == near.npos) return std::nullopt;
  return place + size;
}

std::optional<std::size_t> before_space(std::string_view text, std::size_t place) {
  const std::size_t last = text.substr(0, place).find_last_not_of(kWhiteSpace);
  if (last == text.npos || last + 1 == place || place - last - 1 > kBetweenMax) return std::nullopt;
  return last + 1;
}

/// The bytes up to the nearest NUL, before or after a place, at most `most`.
std::size_t reach_before(std::string_view text, std::size_t place, std::size_t most) {
  const std::size_t begin = place - std::min(place, most);
  const std::size_t nul = text.substr(begin, place - begin).rfind('\0');
  return nul == std::string_view::npos ? begin : begin + nul + 1;
}

std::size_t reach_behind(std::string_view text, std::size_t place, std::size_t most) {
  const std::size_t end = std::min(text.size(), place + most);
  const std::size_t nul = text.substr(place, end - place).find('\0');
  return nul == std::string_view::npos ? end : place + nul;
}

}  // namespace

std::optional<std::string> short_spelling(const std::string& word) {
  for (std::string& spelling : spellings(word)) {
    if (spelling.size() < kLiteralBytesMin) return std::move(spelling);
  }
  return std::nullopt;
}

Result<CustomDetector> CustomDetector::compile(const DetectorConfig& config, DetectorId id) {
  CustomDetector detector;
  detector.id_ = id;
  if (config.pattern.empty()) {
    for (const std::string& word : config.words) {
      if (short_spelling(word)) {
        return fail(ErrorCode::config_invalid, Fault::gateway,
                    "a word of the detector \"" + config.name + "\" is too short");
      }
      detector.add_word(word);
    }
    keep_each_once(detector.literals_);
    return detector;
  }
  auto pattern = compile_re2_pattern(config.pattern, limits::schema_pattern_bytes_max);
  detector.literals_ = required_literals(config.pattern);
  if (!pattern.has_value() || detector.literals_.empty()) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "the pattern of the detector \"" + config.name + "\" cannot be looked for");
  }
  detector.pattern_ = *std::move(pattern);
  return detector;
}

/// Whether so many phrases contain a word that a text full of it would cost too much.
bool CustomDetector::has_many_phrases(const std::vector<std::string>& spellings) const {
  constexpr std::size_t kPhrasesMax = 8;
  return std::ranges::any_of(spellings, [&](const std::string& spelling) {
    const auto known = meanings_.find(in_small_letters(spelling));
    return known != meanings_.end() && known->second.phrases.size() >= kPhrasesMax;
  });
}

/// Of several words the longest is searched for, and the others are matched around it. If none is
/// long enough, or each has eight phrases, the words are found only as written.
void CustomDetector::add_word(const std::string& word) {
  Phrase phrase;
  for (const std::string& one : words_of(word))
    phrase.words.push_back(spellings(one));
  std::size_t longest = 0;
  for (std::size_t i = 0; i < phrase.words.size(); ++i) {
    const std::vector<std::string>& all = phrase.words[i];
    if (!is_long_enough(all) || all.front().size() <= longest || has_many_phrases(all)) continue;
    longest = all.front().size();
    phrase.anchor = i;
  }
  if (phrase.words.size() < 2 || longest == 0) return add_literals(spellings(word), std::nullopt);
  add_literals(phrase.words[phrase.anchor], phrases_.size());
  phrases_.push_back(std::move(phrase));
}

void CustomDetector::add_literals(const std::vector<std::string>& spellings,
                                  std::optional<std::size_t> phrase) {
  for (const std::string& spelling : spellings) {
    literals_.push_back(spelling);
    Meaning& meaning = meanings_[in_small_letters(spelling)];
    meaning.is_word |= !phrase.has_value();
    if (phrase.has_value()) meaning.phrases.push_back(*phrase);
  }
}

void CustomDetector::read_words(ScanText& text, MatchRange literal) const {
  if (phrases_.empty()) {
    if (is_whole_word(text, literal)) text.report(id_, literal.begin, literal.end);
    return;
  }
  const std::string_view bytes = text.bytes();
  const auto meaning = meanings_.find(in_small_letters(text.between(literal.begin, literal.end)));
  if (meaning == meanings_.end()) return;
  if (meaning->second.is_word && is_whole_word(text, literal)) {
    text.report(id_, literal.begin, literal.end);
  }
  for (const std::size_t index : meaning->second.phrases) {
    const Phrase& phrase = phrases_[index];
    std::optional<std::size_t> begin = literal.begin;
    std::optional<std::size_t> end = literal.end;
    for (std::size_t i = phrase.anchor + 1; end.has_value() && i < phrase.words.size(); ++i) {
      end = behind_space(bytes, *end);
      const std::size_t size = end.has_value() ? size_at(bytes, *end, phrase.words[i]) : 0;
      end = size == 0 ? std::nullopt : std::optional(*end + size);
    }
    for (std::size_t i = phrase.anchor; end.has_value() && begin.has_value() && i-- > 0;) {
      begin = before_space(bytes, *begin);
      const std::size_t size = begin.has_value() ? size_before(bytes, *begin, phrase.words[i]) : 0;
      begin = size == 0 ? std::nullopt : std::optional(*begin - size);
    }
    text.add_work(end.value_or(literal.end) - begin.value_or(literal.begin) + kBetweenMax);
    if (begin.has_value() && end.has_value() && is_whole_word(text, {*begin, *end})) {
      text.report(id_, *begin, *end);
    }
  }
}

std::size_t CustomDetector::read(ScanText& text, MatchRange literal, std::size_t searched) const {
  if (!pattern_.has_value()) {
    read_words(text, literal);
    return searched;
  }
  if (literal.end <= searched) return searched;
  // Far enough that adjacent literals are examined once.
  constexpr std::size_t kAhead = 4 * kReach;
  const std::string_view bytes = text.bytes();
  const std::size_t begin = reach_before(bytes, literal.begin, kReach);
  const std::size_t end = reach_behind(bytes, literal.end, kAhead);
  const bool is_cut = end == literal.end + kAhead;
  for (std::size_t at = begin; at < end && !text.is_full();) {
    // A search may read the whole rest before it knows the end of its match.
    text.add_work(end - at);
    const auto found = find_match(*pattern_, bytes, {at, end});
    if (!found.has_value()) break;
    if (found->end > found->begin) text.report(id_, found->begin, found->end);
    at = std::max(found->end, found->begin + 1);
  }
  // A match near the end may continue after it.
  return is_cut ? end - kReach : end;
}

}  // namespace bartizan
