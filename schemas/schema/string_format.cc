#include "schemas/schema/string_format.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

#include <unicode/uchar.h>
#include <unicode/uidna.h>

#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"
#include "schemas/regex/ecma_pattern.h"
#include "schemas/schema/uri_reference.h"

namespace bartizan {
namespace {

struct NamedFormat {
  StringFormat format;
  std::string_view name, description;
};

/// In the order of the enumeration.
constexpr auto kFormats = std::to_array<NamedFormat>({
    {StringFormat::date_time, "date-time", "a date and time (RFC 3339)"},
    {StringFormat::date, "date", "a date (RFC 3339)"},
    {StringFormat::time, "time", "a time with its offset (RFC 3339)"},
    {StringFormat::email, "email", "an e-mail address (RFC 5321)"},
    {StringFormat::hostname, "hostname", "a host name (RFC 1123)"},
    {StringFormat::ipv4, "ipv4", "an IPv4 address"},
    {StringFormat::ipv6, "ipv6", "an IPv6 address"},
    {StringFormat::uri, "uri", "a URI (RFC 3986)"},
    {StringFormat::uri_reference, "uri-reference", "a URI reference (RFC 3986)"},
    {StringFormat::uuid, "uuid", "a UUID (RFC 4122)"},
    {StringFormat::regex, "regex", "a regular expression (ECMA-262)"},
});

/// Input: `front` is in lower case.
bool starts_with_folded(std::string_view text, std::string_view front) {
  return std::ranges::equal(text.substr(0, front.size()), front, {}, lower_case);
}

// --- Dates and times ----------------------------------------------------------------------------

/// Takes a number of exactly two or four digits off the front of a text.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || !std::ranges::all_of(text.substr(0, digits), is_digit)) {
    return std::nullopt;
  }
  int number = 0;
  for (const char digit : text.substr(0, digits))
    number = number * 10 + (digit - '0');
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool is_date(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  const auto year = take_number(text, kYearDigits);
  if (!year || !take(text, '-')) return false;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return false;
  const auto day = take_number(text, 2);
  if (!day || !text.empty()) return false;
  return std::chrono::year_month_day(std::chrono::year(*year),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

/// Hours and minutes of one day, in minutes.
std::optional<int> take_minutes(std::string_view& text) {
  constexpr int kHours = 24;
  constexpr int kMinutes = 60;
  const auto hour = take_number(text, 2);
  if (!hour || *hour >= kHours || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute >= kMinutes) return std::nullopt;
  return *hour * kMinutes + *minute;
}

/// Minutes east of UTC, from the whole rest of the text.
std::optional<int> read_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const bool is_east = text.starts_with('+');
  if (!is_east && !text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  const auto minutes = take_minutes(text);
  if (!minutes || !text.empty()) return std::nullopt;
  return is_east ? *minutes : -*minutes;
}

bool is_time(std::string_view text) {
  constexpr int kDay = 24 * 60;
  constexpr int kLeapSecond = 60;
  const auto minutes = take_minutes(text);
  if (!minutes || !take(text, ':')) return false;
  const auto second = take_number(text, 2);
  if (!second || *second > kLeapSecond) return false;
  if (take(text, '.')) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  const auto offset = read_offset(text);
  if (!offset) return false;
  return *second < kLeapSecond || (*minutes - *offset + kDay) % kDay == kDay - 1;
}

bool is_date_time(std::string_view text) {
  constexpr std::size_t kDateSize = 10;
  if (text.size() <= kDateSize || lower_case(text[kDateSize]) != 't') return false;
  return is_date(text.substr(0, kDateSize)) && is_time(text.substr(kDateSize + 1));
}

// --- Addresses ----------------------------------------------------------------------------------

/// Whether IDNA 2008 permits a character that UTS 46 does not refuse: letters, marks and digits
/// with named exceptions, and a few signs. Source: RFC 5892 §2.1 and §2.6.
bool is_idna_character(char32_t c) {
  constexpr auto kRefused = std::to_array<char32_t>(
      {0x640, 0x7fa, 0x302e, 0x302f, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303b});
  constexpr auto kSigns = std::to_array<char32_t>(
      {U'-', 0xb7, 0x375, 0x5f3, 0x5f4, 0x6fd, 0x6fe, 0xf0b, 0x200c, 0x200d, 0x3007, 0x30fb});
  constexpr std::uint32_t kParts = U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK;
  if (std::ranges::find(kRefused, c) != kRefused.end()) return false;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & kParts) != 0 ||
         std::ranges::find(kSigns, c) != kSigns.end();
}

/// Whether an ASCII label that begins with `xn--` decodes to permitted text.
bool is_a_label(std::string_view label) {
  constexpr std::uint32_t kOptions = UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI |
                                     UIDNA_CHECK_CONTEXTJ | UIDNA_CHECK_CONTEXTO |
                                     UIDNA_NONTRANSITIONAL_TO_UNICODE;
  constexpr std::size_t kDecodedMax = 256;
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UIDNA, decltype(&uidna_close)> idna(uidna_openUTS46(kOptions, &error),
                                                            uidna_close);
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  std::array<char, kDecodedMax> decoded{};
  const auto size = uidna_labelToUnicodeUTF8(
      idna.get(), label.data(), static_cast<std::int32_t>(label.size()), decoded.data(),
      static_cast<std::int32_t>(decoded.size()), &info, &error);
  if (U_FAILURE(error) || info.errors != 0) return false;
  std::string_view rest(decoded.data(), static_cast<std::size_t>(size));
  while (!rest.empty()) {
    const Utf8Character next = read_utf8(rest);
    if (next.size == 0 || !is_idna_character(next.value)) return false;
    rest.remove_prefix(next.size);
  }
  return true;
}

bool is_label(std::string_view label) {
  constexpr std::size_t kLabelMax = 63;
  const auto is_part = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
  if (label.empty() || label.size() > kLabelMax || !std::ranges::all_of(label, is_part)) {
    return false;
  }
  if (label.starts_with('-') || label.ends_with('-')) return false;
  return !starts_with_folded(label, "xn--") || is_a_label(label);
}

bool is_hostname(std::string_view text) {
  constexpr std::size_t kNameMax = 253;
  if (text.size() > kNameMax) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_atom(std::string_view text) {
  const auto is_part = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").contains(c);
  };
  return !text.empty() && std::ranges::all_of(text, is_part);
}

bool is_dot_string(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_atom(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// Length of the quoted string at the beginning, or 0.
std::size_t quoted_size(std::string_view text) {
  if (!text.starts_with('"')) return 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
    if (at == text.size() || text[at] < ' ' || text[at] > '~') return 0;
  }
  return 0;
}

bool is_mail_domain(std::string_view text) {
  if (!text.starts_with('[')) return is_hostname(text);
  if (!text.ends_with(']')) return false;
  const std::string_view literal = text.substr(1, text.size() - 2);
  constexpr std::string_view kTag = "ipv6:";
  if (!starts_with_folded(literal, kTag)) return is_ipv4_address(literal);
  return is_ipv6_address(literal.substr(kTag.size()));
}

bool is_email(std::string_view text) {
  const std::size_t quoted = quoted_size(text);
  const std::size_t at = quoted != 0 ? quoted : text.find('@');
  if (at >= text.size() || text[at] != '@') return false;
  return (quoted != 0 || is_dot_string(text.substr(0, at))) && is_mail_domain(text.substr(at + 1));
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kForm,
                            [](char c, char form) { return form == 'x' ? is_hex(c) : c == form; });
}

}  // namespace

std::optional<StringFormat> find_string_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &NamedFormat::name);
  if (found == kFormats.end()) return std::nullopt;
  return found->format;
}

std::vector<std::string_view> string_format_names() {
  std::vector<std::string_view> names;
  names.reserve(kFormats.size());
  for (const NamedFormat& one : kFormats)
    names.push_back(one.name);
  return names;
}

bool has_format(std::string_view text, StringFormat format) {
  switch (format) {
    case StringFormat::date_time:
      return is_date_time(text);
    case StringFormat::date:
      return is_date(text);
    case StringFormat::time:
      return is_time(text);
    case StringFormat::email:
      return is_email(text);
    case StringFormat::hostname:
      return is_hostname(text);
    case StringFormat::ipv4:
      return is_ipv4_address(text);
    case StringFormat::ipv6:
      return is_ipv6_address(text);
    case StringFormat::uri:
      return is_uri(text);
    case StringFormat::uri_reference:
      return is_uri_reference(text);
    case StringFormat::uuid:
      return is_uuid(text);
    case StringFormat::regex:
      return is_ecma_pattern(text);
  }
  return false;
}

std::string_view description(StringFormat format) {
  return kFormats[static_cast<std::size_t>(format)].description;
}

}  // namespace bartizan
