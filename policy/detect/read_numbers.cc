#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "policy/detect/detector_id.h"
#include "policy/detect/id_checksums.h"
#include "policy/detect/personal_text.h"
#include "policy/text/byte_set.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Whether digits follow after a separator at a place.
bool goes_on(const PersonalText& text, std::size_t end) {
  const char next = text.at(end);
  return (next == '.' || next == ',' || next == '-') && is_digit(text.at(end + 1));
}

// Cards.

/// The issuer numbers of a card, from `first` to `last`, and its lengths.
struct CardRange {
  unsigned first, last;
  std::size_t digits;  ///< The digits of `first` and `last`.
  std::size_t size_min, size_max;
};

/// Source: ISO/IEC 7812-1; the lists of issuers of the networks.
constexpr CardRange kCards[] = {
    {4, 4, 1, 16, 16},            // Visa
    {4, 4, 1, 19, 19},            // Visa
    {51, 55, 2, 16, 16},          // Mastercard
    {2221, 2720, 4, 16, 16},      // Mastercard
    {2200, 2204, 4, 16, 19},      // Mir
    {34, 34, 2, 15, 15},          // American Express
    {37, 37, 2, 15, 15},          // American Express
    {300, 305, 3, 14, 14},        // Diners Club
    {309, 309, 3, 14, 14},        // Diners Club
    {36, 36, 2, 14, 14},          // Diners Club
    {38, 39, 2, 14, 14},          // Diners Club
    {6011, 6011, 4, 16, 16},      // Discover
    {644, 649, 3, 16, 16},        // Discover
    {65, 65, 2, 16, 16},          // Discover, RuPay
    {62, 62, 2, 16, 16},          // UnionPay
    {62, 62, 2, 19, 19},          // UnionPay
    {81, 81, 2, 16, 16},          // UnionPay
    {3528, 3589, 4, 16, 16},      // JCB
    {5018, 5020, 4, 16, 19},      // Maestro, Dankort
    {5038, 5038, 4, 16, 19},      // Maestro
    {5893, 5893, 4, 16, 19},      // Maestro
    {6304, 6304, 4, 16, 19},      // Maestro
    {6390, 6390, 4, 16, 19},      // Maestro
    {6759, 6759, 4, 16, 19},      // Maestro
    {6761, 6763, 4, 16, 19},      // Maestro
    {6062, 6062, 4, 16, 16},      // Hipercard
    {506099, 506198, 6, 16, 19},  // Verve
    {9792, 9792, 4, 16, 16},      // Troy
    {1001, 1999, 4, 15, 15},      // UATP, after the number of an airline
};

bool is_card(std::string_view digits) {
  const bool is_issued = std::ranges::any_of(kCards, [&](const CardRange& range) {
    if (digits.size() < range.size_min || digits.size() > range.size_max) return false;
    const unsigned prefix = read_decimal(digits.substr(0, range.digits));
    return prefix >= range.first && prefix <= range.last;
  });
  return is_issued && passes_luhn(digits);
}

constexpr std::size_t kCardGroupsMax = 5;
/// The usual groups of a card number. Other groups are not cards.
constexpr std::array<std::size_t, kCardGroupsMax> kCardForms[] = {
    {4, 4, 4, 4, 3}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}, {4, 4, 5}, {6, 13}, {4, 4, 4, 3}};

std::size_t group_count(std::span<const std::size_t> form) {
  return static_cast<std::size_t>(std::ranges::find(form, std::size_t{0}) - form.begin());
}

// Telephones.

/// The first word also announces other numbers. It counts only for numbers with separators.
constexpr std::string_view kPhoneWords[] = {"number", "phone",   "tel",      "mobile",    "cell",
                                            "fax",    "call",    "whatsapp", "telephone", "sms",
                                            "dial",   "telefon", "handy",    "telefono"};

/// Existing country codes by their first digits: those of one and two digits, and the first two
/// digits of those of three.
constexpr std::string_view kShortCodes[] = {
    "1",  "7",  "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45",
    "46", "47", "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63",
    "64", "65", "66", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98"};
constexpr std::string_view kLongCodes[] = {"21", "22", "23", "24", "25", "26", "29", "35",
                                           "37", "38", "42", "50", "59", "67", "68", "69",
                                           "80", "85", "87", "88", "96", "97", "99"};

/// Whether it is a number of North America: area and exchange begin with 2 to 9.
bool is_american(std::string_view digits) {
  constexpr std::size_t kSize = 10;
  constexpr std::size_t kExchange = 3;
  return digits.size() == kSize && digits[0] >= '2' && digits[kExchange] >= '2' &&
         digits.substr(1, 2) != "11" && digits.substr(kExchange + 1, 2) != "11";
}

bool is_international(std::string_view digits) {
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kMost = 15;
  if (digits.size() < kLeast || digits.size() > kMost) return false;
  if (digits[0] == '1') return is_american(digits.substr(1));
  const auto begins = [&](std::string_view code) { return digits.starts_with(code); };
  return std::ranges::any_of(kShortCodes, begins) || std::ranges::any_of(kLongCodes, begins);
}

/// Dialled digits, and their end.
struct Dialled {
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kGroupsMost = 7;
  std::array<char, kMost> room = {};
  /// For each group, the digits up to its end, and its end.
  std::array<std::size_t, kGroupsMost> sizes = {}, ends = {};
  std::size_t groups = 0;
  std::string_view digits() const { return {room.data(), groups == 0 ? 0 : sizes[groups - 1]}; }
  std::size_t end() const { return ends[groups - 1]; }
};

/// Reads groups separated by one of ` -./` or brackets. A space may be beside a bracket.
Dialled read_dialled(PersonalText& text, std::size_t begin) {
  Dialled dialled;
  std::size_t at = begin;
  while (dialled.groups < Dialled::kGroupsMost) {
    const std::size_t size = dialled.digits().size();
    std::size_t end = at;
    while (end - at < Dialled::kMost && is_digit(text.at(end)))
      ++end;
    if (end == at || size + (end - at) > Dialled::kMost || !text.ends_word(end)) break;
    std::ranges::copy(text.between(at, end),
                      dialled.room.begin() + static_cast<std::ptrdiff_t>(size));
    dialled.sizes[dialled.groups] = size + (end - at);
    dialled.ends[dialled.groups++] = end;
    at = end;
    // `) `, ` (`, `-`: at most two bytes.
    constexpr std::string_view kParting = " -./()";
    std::size_t parting = 0;
    while (parting < 2 && kParting.contains(text.at(at)) && text.at(at) != '\0') {
      ++at;
      ++parting;
    }
    if (parting == 0) break;
    if (parting == 2 && text.at(at - 1) != '(' && text.at(at - 2) != ')') break;
  }
  text.add_work(at - begin + 1);
  return dialled;
}

/// `+49 30 1234567`, `+1 (415) 555-0132`.
bool read_international(PersonalText& text, DetectorId detector, std::size_t first) {
  const std::size_t begin = first - 1;
  const char before = text.before(begin);
  if (is_digit(before) || is_letter(before) || before == '+' || before == '.') return false;
  Dialled dialled = read_dialled(text, first);
  // Other numbers may follow after a space.
  while (dialled.groups > 0 && !is_international(dialled.digits()))
    --dialled.groups;
  if (dialled.groups == 0) return false;
  // A line of a diff may begin with a plus and any number.
  constexpr std::size_t kCodeMax = 3;
  const bool is_parted = dialled.groups > 1 && dialled.sizes[0] <= kCodeMax;
  if (before == '\n' && !is_parted && !text.follows_word(begin, kPhoneWords)) return false;
  text.report(detector, begin, dialled.end());
  return true;
}

/// `(415) 555-0132`
bool read_bracketed(PersonalText& text, DetectorId detector, const Word& area) {
  constexpr std::size_t kArea = 3;
  if (text.before(area.begin) != '(' || area.size() != kArea || text.at(area.end) != ')') {
    return false;
  }
  const std::size_t next = area.end + (text.at(area.end + 1) == ' ' ? 2 : 1);
  constexpr std::size_t kRest = 8;
  constexpr std::size_t kExchange = 3;
  const std::string_view rest = text.between(next, std::min(next + kRest, text.bytes().size()));
  if (next >= text.bytes().size() || rest.size() != kRest) return false;
  const char parting = rest[kExchange];
  if (parting != '-' && parting != '.' && parting != ' ') return false;
  std::string digits(text.between(area.begin, area.end));
  digits += rest.substr(0, kExchange);
  digits += rest.substr(kExchange + 1);
  text.add_work(digits.size());
  if (!std::ranges::all_of(digits, is_digit) || !is_american(digits)) return false;
  if (!text.ends_word(next + kRest)) return false;
  text.report(detector, area.begin - 1, next + kRest);
  return true;
}

/// `415-555-0132`, also after a 1. With spaces, or without separators, only after a telephone word.
bool read_american(PersonalText& text, DetectorId detector, const DigitGroups& digits) {
  constexpr std::array<std::size_t, 3> kForm{3, 3, 4};
  constexpr std::array<std::size_t, 4> kLongForm{1, 3, 3, 4};
  const std::size_t begin = digits.groups[0].begin;
  const bool is_long = text.at(begin) == '1' && digits.begins_with(kLongForm, "-. ");
  if (!is_long && !digits.begins_with(kForm, "-. ")) return false;
  const std::size_t count = is_long ? 4 : 3;
  const JoinedDigits joined = join(text, digits, count);
  std::string_view dialled = joined.view();
  if (is_long) dialled.remove_prefix(1);
  if (!is_american(dialled)) return false;
  const std::size_t end = digits.groups[count - 1].end;
  if (digits.parting[0] == ' ' && !text.follows_word(begin, kPhoneWords)) return false;
  text.report(detector, begin, end);
  return true;
}

/// Whether the groups form a date or a social security number: `01-02-2024`, `078-05-1121`.
bool is_other_number(const Dialled& dialled) {
  constexpr std::size_t kGroups = 3;
  if (dialled.groups != kGroups) return false;
  const std::array<std::size_t, kGroups> sizes = {
      dialled.sizes[0], dialled.sizes[1] - dialled.sizes[0], dialled.sizes[2] - dialled.sizes[1]};
  constexpr std::array<std::size_t, kGroups> kOthers[] = {
      {3, 2, 4}, {2, 2, 4}, {1, 2, 4}, {2, 1, 4}, {4, 2, 2}};
  return std::ranges::find(kOthers, sizes) != std::end(kOthers);
}

/// `09-7625400`, `020 7946 0018`, only after a telephone word.
bool read_national(PersonalText& text, DetectorId detector, const Word& first) {
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kMost = 12;
  constexpr std::size_t kAmerican = 10;
  if (text.at(first.begin) != '0' && first.size() != kAmerican) return false;
  const Dialled dialled = read_dialled(text, first.begin);
  const std::string_view digits = dialled.digits();
  const bool is_trunk =
      digits.size() >= kLeast && digits.size() <= kMost && digits[0] == '0' && digits[1] != '0';
  if (!is_trunk && !(is_american(digits) && dialled.groups == 1)) return false;
  if (is_other_number(dialled)) return false;
  const std::span<const std::string_view> words(kPhoneWords);
  const bool is_parted = dialled.groups > 1;
  if (!text.follows_word(first.begin, words.subspan(is_parted ? 0 : 1))) return false;
  const bool is_bracketed = text.before(first.begin) == '(' && text.at(first.end) == ')';
  text.report(detector, first.begin - (is_bracketed ? 1 : 0), dialled.end());
  return true;
}

}  // namespace

bool read_card(PersonalText& text, const DigitGroups& digits) {
  static const DetectorId kDetector = detector_id("pii.card");
  if (!text.wants(kDetector)) return false;
  constexpr std::size_t kLeast = 13;
  const Word& first = digits.groups[0];
  if (digits.digits < kLeast || continues_number(text, first.begin)) return false;
  if (!goes_on(text, first.end) && is_card(text.between(first.begin, first.end))) {
    text.report(kDetector, first.begin, first.end);
    return true;
  }
  for (const auto& form : kCardForms) {
    if (first.size() != form[0]) continue;
    const std::size_t count = group_count(form);
    if (!digits.begins_with({form.data(), count}, " -")) continue;
    if (!is_card(join(text, digits, count).view())) continue;
    text.report(kDetector, first.begin, digits.groups[count - 1].end);
    return true;
  }
  return false;
}

bool read_phone(PersonalText& text, const DigitGroups& digits) {
  static const DetectorId kDetector = detector_id("pii.phone");
  if (!text.wants(kDetector)) return false;
  const Word& first = digits.groups[0];
  if (text.before(first.begin) == '+') return read_international(text, kDetector, first.begin);
  if (read_bracketed(text, kDetector, first)) return true;
  constexpr std::size_t kLeast = 8;
  // A bracket may separate groups, which are then not counted.
  const bool is_short = digits.digits < kLeast && text.at(first.end) != ')';
  if (is_short || continues_number(text, first.begin)) return false;
  return read_american(text, kDetector, digits) || read_national(text, kDetector, first);
}

}  // namespace bartizan
