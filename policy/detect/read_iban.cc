#include <algorithm>
#include <array>
#include <string_view>

#include "policy/detect/detector_id.h"
#include "policy/detect/id_checksums.h"
#include "policy/detect/personal_text.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

struct IbanCountry {
  std::string_view code;
  std::size_t size;
};

/// Source: IBAN Registry, release 99, and countries that use its form without an entry.
constexpr IbanCountry kCountries[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AO", 25}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16},
    {"BF", 28}, {"BG", 22}, {"BH", 22}, {"BI", 27}, {"BJ", 28}, {"BR", 29}, {"BY", 28}, {"CF", 27},
    {"CG", 27}, {"CH", 21}, {"CI", 28}, {"CM", 27}, {"CR", 22}, {"CV", 25}, {"CY", 28}, {"CZ", 24},
    {"DE", 22}, {"DJ", 27}, {"DK", 18}, {"DO", 28}, {"DZ", 26}, {"EE", 20}, {"EG", 29}, {"ES", 24},
    {"FI", 18}, {"FK", 18}, {"FO", 18}, {"FR", 27}, {"GA", 27}, {"GB", 22}, {"GE", 22}, {"GI", 23},
    {"GL", 18}, {"GQ", 27}, {"GR", 27}, {"GT", 28}, {"GW", 25}, {"HN", 28}, {"HR", 21}, {"HU", 28},
    {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IR", 26}, {"IS", 26}, {"IT", 27}, {"JO", 30}, {"KM", 27},
    {"KW", 30}, {"KZ", 20}, {"LB", 28}, {"LC", 32}, {"LI", 21}, {"LT", 20}, {"LU", 20}, {"LV", 21},
    {"LY", 25}, {"MA", 28}, {"MC", 27}, {"MD", 24}, {"ME", 22}, {"MG", 27}, {"MK", 19}, {"ML", 28},
    {"MN", 20}, {"MR", 27}, {"MT", 31}, {"MU", 30}, {"MZ", 25}, {"NE", 28}, {"NI", 28}, {"NL", 18},
    {"NO", 15}, {"OM", 23}, {"PK", 24}, {"PL", 28}, {"PS", 29}, {"PT", 25}, {"QA", 29}, {"RO", 24},
    {"RS", 22}, {"RU", 33}, {"SA", 24}, {"SC", 31}, {"SD", 18}, {"SE", 24}, {"SI", 19}, {"SK", 24},
    {"SM", 27}, {"SN", 28}, {"SO", 23}, {"ST", 25}, {"SV", 28}, {"TD", 27}, {"TG", 28}, {"TL", 23},
    {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20}, {"YE", 30}};

constexpr std::size_t kSizeMax = 34;

std::size_t size_of(std::string_view country) {
  const auto* const found = std::ranges::lower_bound(kCountries, country, {}, &IbanCountry::code);
  return found == std::end(kCountries) || found->code != country ? 0 : found->size;
}

}  // namespace

bool read_iban(PersonalText& text, const Word& word) {
  static const DetectorId kDetector = detector_id("pii.iban");
  constexpr std::size_t kHead = 4;  // The country, and two digits.
  constexpr std::size_t kGroup = 4;
  if (!text.wants(kDetector) || word.size() < kHead) return false;
  if (!is_digit(text.at(word.begin + 2)) || !is_digit(text.at(word.begin + 3))) return false;
  const std::size_t size = size_of(text.between(word.begin, word.begin + 2));
  if (size == 0) return false;
  const bool is_grouped = word.size() == kHead;
  const char parted_by = is_grouped ? text.at(word.end) : '\0';
  if (is_grouped ? parted_by != ' ' && parted_by != '-' : word.size() != size) return false;
  std::array<char, kSizeMax> digits;
  std::size_t at = word.begin;
  for (std::size_t i = 0; i < size; ++i, ++at) {
    if (is_grouped && i > 0 && i % kGroup == 0 && text.at(at++) != parted_by) return false;
    const char c = text.at(at);
    if (!is_digit(c) && !is_upper(c)) return false;
    digits[i] = c;
  }
  text.add_work(at - word.begin);
  if (!text.ends_word(at) || iban_remainder({digits.data(), size}) != 1) return false;
  text.report(kDetector, word.begin, at);
  return true;
}

}  // namespace bartizan
