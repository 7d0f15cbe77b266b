#include "policy/own_detector.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "policy/character_kind.h"
#include "schemas/keep_each_once.h"
#include "schemas/limits.h"
#include "schemas/required_literals.h"

namespace bartizan {
namespace {

/// A word as it is written, and all of it in small and in capital letters: literals are found
/// whatever the case of their ASCII letters only.
std::vector<std::string> spellings(const std::string& word) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8(word);
  std::vector<std::string> all{word};
  icu::UnicodeString(text).toLower().toUTF8String(all.emplace_back());
  icu::UnicodeString(text).toUpper().toUTF8String(all.emplace_back());
  keep_each_once(all);
  return all;
}

/// Whether a character makes one word with another beside it. Scripts that write no spaces have
/// none that could.
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

/// How many bytes there are up to the nearest NUL, before or behind a place, at most `most`.
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

Result<OwnDetector> OwnDetector::compile(const DetectorConfig& config, DetectorId id) {
  OwnDetector detector;
  detector.id_ = id;
  if (config.pattern.empty()) {
    for (const std::string& word : config.words) {
      if (short_spelling(word)) {
        return fail(ErrorCode::config_invalid, Fault::gateway,
                    "a word of the detector \"" + config.name + "\" is too short");
      }
      std::ranges::move(spellings(word), std::back_inserter(detector.literals_));
    }
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

void OwnDetector::report(ScanText& text, std::size_t begin, std::size_t end) const {
  text.report(
      {.begin = begin, .end = end, .detector = id_, .whole_begin = begin, .whole_end = end});
}

std::size_t OwnDetector::read(ScanText& text, MatchRange literal, std::size_t searched) const {
  if (!pattern_.has_value()) {
    if (is_whole_word(text, literal)) report(text, literal.begin, literal.end);
    return searched;
  }
  if (literal.end <= searched) return searched;
  // So far ahead that literals close by are looked at once.
  constexpr std::size_t kAhead = 4 * kReach;
  const std::string_view bytes = text.bytes();
  const std::size_t begin = reach_before(bytes, literal.begin, kReach);
  const std::size_t end = reach_behind(bytes, literal.end, kAhead);
  const bool is_cut = end == literal.end + kAhead;
  for (std::size_t at = begin; at < end && !text.is_full();) {
    // A search may read all that is left before it knows where its match ends.
    text.add_work(end - at);
    const auto found = find_match(*pattern_, bytes, {at, end});
    if (!found.has_value()) break;
    if (found->end > found->begin) report(text, found->begin, found->end);
    at = std::max(found->end, found->begin + 1);
  }
  // What begins near the end may go on behind it.
  return is_cut ? end - kReach : end;
}

}  // namespace bartizan
