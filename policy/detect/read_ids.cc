#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "policy/detect/detector_id.h"
#include "policy/detect/id_checksums.h"
#include "policy/detect/personal_text.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

bool is_day(std::string_view month, std::string_view day) {
  constexpr unsigned kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const unsigned m = read_decimal(month);
  const unsigned d = read_decimal(day);
  return m >= 1 && m <= 12 && d >= 1 && d <= kDays[m - 1];
}

// Checks of digits. The form of each id determines their number.

/// Source: SSA, "The SSN Numbering Scheme": no area 000, 666 or 900 and above, no group 00, no
///         serial 0000; and the numbers printed on sample cards and in advertisements.
bool is_us_ssn(std::string_view digits) {
  constexpr std::string_view kPrinted[] = {"078051120", "219099999", "123456789", "987654321"};
  const std::string_view area = digits.substr(0, 3);
  return area != "000" && area != "666" && area[0] != '9' && digits.substr(3, 2) != "00" &&
         digits.substr(5) != "0000" && std::ranges::find(kPrinted, digits) == std::end(kPrinted) &&
         digits.find_first_not_of(digits[0]) != digits.npos;
}

/// Source: NHS Data Dictionary, "NHS Number".
bool is_uk_nhs(std::string_view digits) {
  constexpr std::uint8_t kWeights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
  const unsigned check = 11 - weighted_sum(digits.substr(0, 9), kWeights) % 11;
  return check != 10 && check % 11 == read_decimal(digits.substr(9)) &&
         digits.find_first_not_of(digits[0]) != digits.npos;
}

/// Source: Polish law on the register of the population, PESEL: the month encodes the century.
bool is_pl_pesel(std::string_view digits) {
  constexpr std::uint8_t kWeights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1};
  const char month[] = {static_cast<char>('0' + (digits[2] - '0') % 2), digits[3]};
  return is_day({month, 2}, digits.substr(4, 2)) && weighted_sum(digits, kWeights) % 10 == 0;
}

/// Source: UIDAI: twelve digits, of which the first is not 0 or 1.
bool is_in_aadhaar(std::string_view digits) {
  return digits[0] >= '2' && passes_verhoeff(digits) &&
         digits.find_first_not_of(digits[0]) != digits.npos;
}

/// Source: Australian Taxation Office, tax file numbers.
bool is_au_tfn(std::string_view digits) {
  constexpr std::uint8_t kWeights[] = {1, 4, 3, 7, 5, 8, 6, 9, 10};
  return weighted_sum(digits, kWeights) % 11 == 0 && digits.find_first_not_of('0') != digits.npos;
}

/// Source: Employment and Social Development Canada, SIN: no number begins with 0 or 8.
bool is_ca_sin(std::string_view digits) {
  return digits[0] != '0' && digits[0] != '8' && passes_luhn(digits);
}

/// Source: Skatteverket, personnummer; a day above 60 is that of a coordination number.
bool is_se_personnummer(std::string_view digits) {
  const char day[] = {static_cast<char>(digits[4] >= '6' ? digits[4] - 6 : digits[4]), digits[5]};
  return is_day(digits.substr(2, 2), {day, 2}) && passes_luhn(digits);
}

/// The long form, which begins with the century.
bool is_se_personnummer_long(std::string_view digits) {
  const std::string_view century = digits.substr(0, 2);
  const bool is_century = century == "18" || century == "19" || century == "20";
  return is_century && is_se_personnummer(digits.substr(2));
}

/// Source: Korean law on registration of residents: the first digit after the dash encodes the
///         century and the sex. Numbers since 2020 have no checksum.
bool is_kr_rrn(std::string_view digits) {
  return is_day(digits.substr(2, 2), digits.substr(4, 2)) && digits[6] >= '1' && digits[6] <= '8';
}

/// An id of digits. It has a unique form, or a word announces it.
struct DigitsId {
  std::string_view detector;
  std::array<std::size_t, 4> form;  ///< Sizes of its groups.
  std::string_view parted_by;
  bool (*is_valid)(std::string_view digits);
  std::array<std::string_view, 5> words;  ///< One of these must precede it; empty if it needs none.
};

constexpr DigitsId kDigitsIds[] = {
    {"pii.us_ssn", {3, 2, 4}, "-", is_us_ssn, {}},
    {"pii.us_ssn", {3, 2, 4}, " .", is_us_ssn, {"ssn", "social security"}},
    {"pii.us_ssn", {9}, "", is_us_ssn, {"ssn", "social security"}},
    {"pii.kr_rrn", {6, 7}, "-", is_kr_rrn, {}},
    {"pii.se_personnummer",
     {6, 4},
     "-",
     is_se_personnummer,
     {"personnummer", "samordningsnummer", "personal identity", "personnr", "pnr"}},
    {"pii.se_personnummer",
     {8, 4},
     "-",
     is_se_personnummer_long,
     {"personnummer", "samordningsnummer", "personal identity", "personnr", "pnr"}},
    {"pii.se_personnummer",
     {12},
     "",
     is_se_personnummer_long,
     {"personnummer", "samordningsnummer", "personal identity", "personnr", "pnr"}},
    {"pii.se_personnummer",
     {10},
     "",
     is_se_personnummer,
     {"personnummer", "samordningsnummer", "personal identity", "personnr", "pnr"}},
    {"pii.in_aadhaar", {4, 4, 4}, " -", is_in_aadhaar, {"aadhaar", "aadhar", "uidai", "uid"}},
    {"pii.in_aadhaar", {12}, "", is_in_aadhaar, {"aadhaar", "aadhar", "uidai", "uid"}},
    {"pii.uk_nhs", {3, 3, 4}, " -", is_uk_nhs, {"nhs", "national health"}},
    {"pii.uk_nhs", {10}, "", is_uk_nhs, {"nhs", "national health"}},
    {"pii.pl_pesel", {11}, "", is_pl_pesel, {"pesel"}},
    {"pii.au_tfn", {3, 3, 3}, " -", is_au_tfn, {"tfn", "tax file"}},
    {"pii.au_tfn", {9}, "", is_au_tfn, {"tfn", "tax file"}},
    {"pii.ca_sin", {3, 3, 3}, " -", is_ca_sin, {"sin", "social insurance", "nas"}},
    {"pii.ca_sin", {9}, "", is_ca_sin, {"sin", "social insurance", "nas"}},
};

// Ids of letters and digits.

/// Letters of the remainder by 23. Source: Spanish Royal Decree 1553/2005.
constexpr std::string_view kSpanishLetters = "TRWAGMYFPDXBNJZSQVHLCKE";

bool is_es_nif(std::string_view word) {
  return kSpanishLetters[read_decimal(word.substr(0, 8)) % 23] == word[8];
}

bool is_es_nie(std::string_view word) {
  constexpr std::string_view kFirst = "XYZ";
  const std::size_t first = kFirst.find(word[0]);
  return first != kFirst.npos &&
         kSpanishLetters[(first * 10'000'000 + read_decimal(word.substr(1, 7))) % 23] == word[8];
}

/// Source: Italian Ministerial Decree of 23 December 1976.
bool is_it_fiscal_code(std::string_view word) {
  constexpr std::uint8_t kOdd[] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                   20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
  constexpr std::string_view kMonths = "ABCDEHLMPRST";
  const unsigned day = read_decimal(word.substr(9, 2)) % 40;
  if (!kMonths.contains(word[8]) || day < 1 || day > 31) return false;
  unsigned sum = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    const auto value = static_cast<unsigned>(is_digit(word[i]) ? word[i] - '0' : word[i] - 'A');
    sum += i % 2 == 0 ? kOdd[value] : value;
  }
  return sum % 26 == static_cast<unsigned>(word[15] - 'A');
}

/// Source: Indian Income Tax Department: the fourth letter encodes the kind of holder.
bool is_in_pan(std::string_view word) {
  constexpr std::string_view kHolders = "ABCFGHJLPT";
  return kHolders.contains(word[3]) && word.substr(5, 4) != "0000";
}

/// Source: Singapore, National Registration Act; the letters as published by checkers of the ids.
bool is_sg_nric(std::string_view word) {
  constexpr std::uint8_t kWeights[] = {2, 7, 6, 5, 4, 3, 2};
  constexpr std::string_view kCitizen = "JZIHGFEDCBA";
  constexpr std::string_view kForeigner = "XWUTRQPNMLK";
  constexpr std::string_view kForeignerM = "KLJNPQRTUWX";
  unsigned sum = weighted_sum(word.substr(1, 7), kWeights);
  if (word[0] == 'T' || word[0] == 'G') sum += 4;
  if (word[0] == 'M') sum += 3;
  switch (word[0]) {
    case 'S':
    case 'T':
      return kCitizen[sum % 11] == word[8];
    case 'F':
    case 'G':
      return kForeigner[sum % 11] == word[8];
    case 'M':
      return kForeignerM[10 - sum % 11] == word[8];
    default:
      return false;
  }
}

/// Source: HMRC, National Insurance Manual, NIM39110.
bool is_uk_nino(std::string_view word) {
  constexpr std::string_view kNeither = "DFIQUV";
  constexpr std::string_view kUnused[] = {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"};
  return !kNeither.contains(word[0]) && !kNeither.contains(word[1]) && word[1] != 'O' &&
         std::ranges::find(kUnused, word.substr(0, 2)) == std::end(kUnused) && word[8] <= 'D';
}

/// An id of letters and digits.
struct WordId {
  std::string_view detector;
  std::string_view form;  ///< `A` for a letter, `9` for a digit.
  bool (*is_valid)(std::string_view word);
};

constexpr WordId kWordIds[] = {
    {"pii.es_nif", "99999999A", is_es_nif},
    {"pii.es_nie", "A9999999A", is_es_nie},
    {"pii.sg_nric", "A9999999A", is_sg_nric},
    {"pii.it_fiscal_code", "AAAAAA99A99A999A", is_it_fiscal_code},
    {"pii.in_pan", "AAAAA9999A", is_in_pan},
    {"pii.uk_nino", "AA999999A", is_uk_nino},
};

bool has_form(std::string_view word, std::string_view form) {
  return std::ranges::equal(
      word, form, [](char c, char kind) { return kind == 'A' ? is_upper(c) : is_digit(c); });
}

/// `131052-308T`: a date, a century, a number, a letter. Source: Finnish Digital and Population
/// Data Services Agency.
bool read_finnish(PersonalText& text, DetectorId detector, const Word& date) {
  constexpr std::size_t kDate = 6;
  constexpr std::size_t kSize = 11;
  constexpr std::string_view kCenturies = "+-YXWVUABCDEF";
  constexpr std::string_view kLetters = "0123456789ABCDEFHJKLMNPRSTUVWXY";
  const std::size_t end = date.begin + kSize;
  if (end > text.bytes().size() || !text.ends_word(end)) return false;
  const std::string_view id = text.between(date.begin, end);
  const std::string_view number = id.substr(kDate + 1, 3);
  if (!std::ranges::all_of(id.substr(0, kDate), is_digit) || !kCenturies.contains(id[kDate]) ||
      !std::ranges::all_of(number, is_digit)) {
    return false;
  }
  text.add_work(kSize);
  if (!is_day(id.substr(2, 2), id.substr(0, 2)) || read_decimal(number) < 2) return false;
  const unsigned all = read_decimal(id.substr(0, kDate)) * 1000 + read_decimal(number);
  if (kLetters[all % kLetters.size()] != id[kSize - 1]) return false;
  text.report(detector, date.begin, end);
  return true;
}

/// `AB 12 34 56 C`, as printed on letters. The digits begin after two letters and a blank.
bool read_printed_nino(PersonalText& text, DetectorId detector, const Word& first) {
  constexpr std::size_t kPrefix = 3;
  constexpr std::size_t kSize = 13;
  constexpr std::string_view kForm = "AA 99 99 99 A";
  if (first.begin < kPrefix || text.before(first.begin) != ' ') return false;
  const std::size_t begin = first.begin - kPrefix;
  const std::size_t end = begin + kSize;
  if (end > text.bytes().size() || !text.begins_word(begin) || !text.ends_word(end)) return false;
  std::string word(text.between(begin, end));
  text.add_work(kSize);
  const bool is_printed = std::ranges::equal(word, kForm, [](char c, char kind) {
    return kind == 'A' ? is_upper(c) : kind == '9' ? is_digit(c) : c == kind;
  });
  if (!is_printed) return false;
  std::erase(word, ' ');
  if (!is_uk_nino(word)) return false;
  text.report(detector, begin, end);
  return true;
}

/// `12345678-Z`, `X-1234567-L`: with dashes before and after the digits.
bool read_dashed_spanish(PersonalText& text, const Word& digits) {
  static const DetectorId kNif = detector_id("pii.es_nif");
  static const DetectorId kNie = detector_id("pii.es_nie");
  constexpr std::size_t kNifDigits = 8;
  const std::size_t end = digits.end + 2;
  if (text.at(digits.end) != '-' || !is_upper(text.at(digits.end + 1)) || !text.ends_word(end)) {
    return false;
  }
  std::size_t begin = digits.begin;
  if (digits.size() + 1 == kNifDigits && begin >= 2 && text.before(begin) == '-') begin -= 2;
  std::string word(text.between(begin, end));
  text.add_work(word.size());
  std::erase(word, '-');
  if (word.size() != kNifDigits + 1 || !text.begins_word(begin)) return false;
  const bool is_nif = is_digit(word[0]);
  if (is_nif ? !is_es_nif(word) : !is_es_nie(word)) return false;
  if (!text.wants(is_nif ? kNif : kNie)) return false;
  text.report(is_nif ? kNif : kNie, begin, end);
  return true;
}

std::size_t group_count(const DigitsId& id) {
  return static_cast<std::size_t>(std::ranges::find(id.form, std::size_t{0}) - id.form.begin());
}

bool has_form(const DigitGroups& digits, const DigitsId& id) {
  return digits.begins_with({id.form.data(), group_count(id)}, id.parted_by);
}

bool follows_words(PersonalText& text, std::size_t place, const DigitsId& id) {
  const auto last = std::ranges::find(id.words, std::string_view());
  if (last == id.words.begin()) return true;
  return text.follows_word(place,
                           {id.words.data(), static_cast<std::size_t>(last - id.words.begin())});
}

}  // namespace

bool read_digits_id(PersonalText& text, const DigitGroups& digits) {
  static const DetectorId kFinnish = detector_id("pii.fi_hetu");
  const Word& first = digits.groups[0];
  if (continues_number(text, first.begin)) return false;
  constexpr std::size_t kLeast = 9;
  for (const DigitsId& id : kDigitsIds) {
    if (digits.digits < kLeast) break;
    if (first.size() != id.form[0]) continue;
    if (!has_form(digits, id)) continue;
    // Few numbers have valid digits, so only those are compared with the wanted detectors.
    const JoinedDigits joined = join(text, digits, group_count(id));
    if (!id.is_valid(joined.view())) continue;
    const DetectorId detector = detector_id(id.detector);
    if (!text.wants(detector) || !follows_words(text, first.begin, id)) continue;
    text.report(detector, first.begin, digits.groups[group_count(id) - 1].end);
    return true;
  }
  static const DetectorId kNino = detector_id("pii.uk_nino");
  if (text.wants(kNino) && first.size() == 2 && read_printed_nino(text, kNino, first)) return true;
  if (read_dashed_spanish(text, first)) return true;
  return text.wants(kFinnish) && first.size() == 6 && read_finnish(text, kFinnish, first);
}

bool read_word_id(PersonalText& text, const Word& word) {
  static const DetectorId kFinnish = detector_id("pii.fi_hetu");
  const std::string_view bytes = text.between(word.begin, word.end);
  text.add_work(bytes.size());
  for (const WordId& id : kWordIds) {
    if (!has_form(bytes, id.form) || !id.is_valid(bytes)) continue;
    const DetectorId detector = detector_id(id.detector);
    if (!text.wants(detector)) continue;
    text.report(detector, word.begin, word.end);
    return true;
  }
  // `X1234567-L`: the word has one letter, and the dash follows its digits.
  constexpr std::size_t kNie = 8;
  if (bytes.size() == kNie && is_upper(bytes[0]) &&
      std::ranges::all_of(bytes.substr(1), is_digit) && read_dashed_spanish(text, word)) {
    return true;
  }
  // For a person born in this century, the whole id is one word.
  return text.wants(kFinnish) && bytes.size() == 11 && read_finnish(text, kFinnish, word);
}

}  // namespace bartizan
