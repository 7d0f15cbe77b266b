#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <unicode/uchar.h>

#include "policy/detect/detector_id.h"
#include "policy/detect/personal_text.h"
#include "policy/text/byte_set.h"
#include "policy/text/character_kind.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c);
}

/// The end of a run of a byte set, at most so far away.
std::size_t run_end(PersonalText& text, const ByteSet& set, std::size_t from, std::size_t most) {
  std::size_t end = from;
  while (end - from < most && set.holds(text.at(end)))
    ++end;
  text.add_work(end - from + 1);
  return end;
}

std::size_t run_begin(PersonalText& text, const ByteSet& set, std::size_t until, std::size_t most) {
  const std::size_t least = std::max(text.read_until(), until - std::min(until, most));
  std::size_t begin = until;
  while (begin > least && set.holds(text.at(begin - 1)))
    --begin;
  text.add_work(until - begin + 1);
  return begin;
}

/// The end of `192.0.2.1` at a place; 0 if there is none.
std::size_t dotted_end(PersonalText& text, std::size_t begin) {
  constexpr std::size_t kParts = 4;
  constexpr std::size_t kDigitsMax = 3;
  constexpr unsigned kByteMax = 255;
  std::size_t at = begin;
  for (std::size_t part = 0; part < kParts; ++part) {
    if (part > 0 && text.at(at++) != '.') return 0;
    std::size_t end = at;
    while (end - at <= kDigitsMax && is_digit(text.at(end)))
      ++end;
    const std::string_view digits = text.between(at, end);
    if (digits.empty() || digits.size() > kDigitsMax || (digits.size() > 1 && digits[0] == '0')) {
      return 0;
    }
    if (read_decimal(digits) > kByteMax) return 0;
    at = end;
  }
  text.add_work(at - begin);
  const bool goes_on = is_word_byte(text.at(at)) || text.at(at) == '_' ||
                       (text.at(at) == '.' && is_digit(text.at(at + 1)));
  return goes_on ? 0 : at;
}

/// The end after a prefix length such as `/24`.
std::size_t prefix_end(PersonalText& text, std::size_t end, unsigned bits_max) {
  if (text.at(end) != '/') return end;
  std::size_t last = end + 1;
  while (last - end <= 3 && is_digit(text.at(last)))
    ++last;
  const std::string_view digits = text.between(end + 1, std::max(last, end + 1));
  if (digits.empty() || is_word_byte(text.at(last)) || read_decimal(digits) > bits_max) return end;
  return last;
}

constexpr unsigned kBitsOfFour = 32;
constexpr unsigned kBitsOfSix = 128;
constexpr std::string_view kVersionWords[] = {"version", "ver", "release", "build", "assembly"};

/// Whether the text directly before an address makes it a version: `v1.2.3.4`, `tool-1.2.3.4`,
/// `Chrome/120.0.0.0`, `tool==1.2.3.4`, `tool@1.2.3.4`.
bool is_version(PersonalText& text, std::size_t begin) {
  const char before = text.before(begin);
  if (before == '.' || before == '_') return true;
  if (begin < 2) return false;
  const char name_end = text.at(begin - 2);
  if (before == '-' || before == '/') return is_letter(name_end);
  if (before == '=') return name_end == '=';
  if (before != '@' || !is_word_byte(name_end)) return false;
  // The user of a URL, `//ann:…@192.0.2.1`, or of a command, `root@192.0.2.1`. Versions begin with
  // small numbers, and addresses of servers rarely do.
  constexpr ByteSet kUser("A-Za-z0-9._~!$&'()*+,;=:%-");
  constexpr std::size_t kUserMax = 64;
  const bool is_small = !is_digit(text.at(begin + 1));
  const std::size_t user = run_begin(text, kUser, begin - 1, kUserMax);
  const bool is_of_url = user > 1 && text.before(user) == '/' && text.at(user - 2) == '/';
  return is_small && !is_of_url;
}

/// A candidate for an IPv6 address: its number of 16-bit groups, and its form.
struct Groups {
  std::size_t end = 0;  ///< 0 if there is no address.
  std::size_t count = 0;
  bool has_gap = false;  ///< `::`
  bool has_digit = false;
  bool are_all_pairs = true;  ///< All groups have two digits, as in hardware addresses.
};

Groups read_groups(PersonalText& text, std::size_t begin) {
  constexpr std::size_t kGroupMax = 4;
  Groups groups;
  std::size_t at = begin;
  while (true) {
    const bool is_gap = text.at(at) == ':' && text.at(at + 1) == ':';
    if (is_gap) {
      if (groups.has_gap || text.at(at + 2) == ':') return {};
      groups.has_gap = true;
      at += 2;
    } else if (groups.count > 0) {
      if (text.at(at) != ':' || !is_hex(text.at(at + 1))) break;
      ++at;
    }
    std::size_t end = at;
    while (end - at <= kGroupMax && is_hex(text.at(end)))
      ++end;
    if (end == at) {
      // Only a gap may end the address.
      if (!is_gap) return {};
      break;
    }
    if (text.at(end) == '.' && is_digit(text.at(end + 1))) {
      const std::size_t dotted = dotted_end(text, at);
      if (dotted == 0) return {};
      groups.count += 2;
      groups.has_digit = true;
      groups.are_all_pairs = false;
      at = dotted;
      break;
    }
    if (end - at > kGroupMax) return {};
    groups.has_digit |=
        std::ranges::any_of(text.between(at, end), [](char c) { return is_digit(c); });
    groups.are_all_pairs &= end - at == 2;
    ++groups.count;
    at = end;
    constexpr std::size_t kGroupsMost = 16;
    if (groups.count > kGroupsMost) return {};
  }
  text.add_work(at - begin + 1);
  groups.end = at;
  return groups;
}

/// Words before a lone `::` that is an address, and not an operator.
constexpr std::string_view kAddressWords[] = {"ipv6", "ip6",         "src",    "dst", "addr",
                                              "bind", "unspecified", "listen", "any"};

bool is_address(PersonalText& text, std::size_t begin, const Groups& groups) {
  constexpr std::size_t kGroups = 8;
  if (groups.end == 0) return false;
  if (!groups.has_gap) return groups.count == kGroups && !groups.are_all_pairs;
  if (groups.count >= kGroups) return false;
  if (groups.count > 0) return groups.has_digit;
  return text.at(groups.end) == '/' || text.follows_word(begin, kAddressWords);
}

bool identifies_nothing(std::string_view hardware) {
  return std::ranges::all_of(hardware, [](char c) { return c == '0' || !is_hex(c); }) ||
         std::ranges::all_of(hardware, [](char c) { return lower_case(c) == 'f' || !is_hex(c); });
}

struct HardwareForm {
  std::size_t parts, digits;
  char parted_by;
};

/// The end of a hardware address of that form; 0 if there is none.
std::size_t hardware_end(PersonalText& text, std::size_t begin, const HardwareForm& form) {
  std::size_t at = begin;
  for (std::size_t part = 0; part < form.parts; ++part) {
    if (part > 0 && text.at(at++) != form.parted_by) return 0;
    for (std::size_t i = 0; i < form.digits; ++i) {
      if (!is_hex(text.at(at++))) return 0;
    }
  }
  text.add_work(at - begin);
  // Any word may follow a blank.
  const bool may_go_on = text.at(at) == form.parted_by && form.parted_by != ' ';
  const bool goes_on = is_word_byte(text.at(at)) || (may_go_on && is_word_byte(text.at(at + 1)));
  return goes_on || identifies_nothing(text.between(begin, at)) ? 0 : at;
}

/// Words before a hardware address that has only digits, and is not a time.
constexpr std::string_view kHardwareWords[] = {"mac",   "ether",    "hwaddr",  "lladdr",
                                               "bssid", "hardware", "physical"};

/// Words that name a hardware address in an ambiguous form.
constexpr std::string_view kNamingWords[] = {"mac",         "ether",      "hwaddr",
                                             "lladdr",      "bssid",      "macaddr",
                                             "mac address", "macaddress", "mac_address"};

bool is_hardware(PersonalText& text, std::size_t begin, std::size_t end) {
  return std::ranges::any_of(text.between(begin, end), is_letter) ||
         text.follows_word(begin, kHardwareWords);
}

constexpr ByteSet kLocalBytes("A-Za-z0-9._%+'-");
constexpr ByteSet kDomainBytes("A-Za-z0-9.-");
constexpr ByteSet kHexAndColons("0-9A-Fa-f:");
constexpr std::size_t kLocalMax = 64;
constexpr std::size_t kCharacterMax = 4;

bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80U;
}

/// Letters of scripts with capitals, and their marks. These scripts separate words with spaces, so
/// the word before an address is not part of it.
bool is_foreign_letter(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  return c > 0 && (u_hasBinaryProperty(c, UCHAR_CASED) || u_charType(c) == U_NON_SPACING_MARK);
}

/// The size of the part of a name directly before a place, and at it: a byte of the set, a whole
/// such letter, or 0.
std::size_t name_bytes_before(PersonalText& text, std::size_t place, const ByteSet& set) {
  if (!is_beyond_ascii(text.before(place))) return set.holds(text.before(place)) ? 1 : 0;
  const std::string_view near = text.between(place - std::min(place, kCharacterMax), place);
  const ReadCharacter read = read_character_before(near, near.size());
  return is_foreign_letter(read.value) ? read.size : 0;
}

std::size_t name_bytes_at(PersonalText& text, std::size_t place, const ByteSet& set) {
  if (!is_beyond_ascii(text.at(place))) return set.holds(text.at(place)) ? 1 : 0;
  const ReadCharacter read = read_character(text.bytes(), place);
  return is_foreign_letter(read.value) ? read.size : 0;
}

/// The beginning of a name that ends at a place, and the end of one that begins there. A name
/// longer than `most` is read slightly further.
std::size_t name_begin(PersonalText& text, std::size_t until, std::size_t most) {
  std::size_t begin = until;
  while (begin > text.read_until() && until - begin <= most) {
    const std::size_t bytes = name_bytes_before(text, begin, kLocalBytes);
    if (bytes == 0) break;
    begin -= bytes;
  }
  text.add_work(until - begin + 1);
  return begin;
}

std::size_t name_end(PersonalText& text, std::size_t from, std::size_t most) {
  std::size_t end = from;
  while (end - from <= most) {
    const std::size_t bytes = name_bytes_at(text, end, kDomainBytes);
    if (bytes == 0) break;
    end += bytes;
  }
  text.add_work(end - from + 1);
  return end;
}

/// Ends after a dot in names of files and services, which are not domains.
constexpr std::string_view kNoDomains[] = {"png",   "jpg",    "jpeg",  "gif", "svg",     "webp",
                                           "js",    "mjs",    "cjs",   "ts",  "json",    "html",
                                           "css",   "rb",     "java",  "cpp", "service", "socket",
                                           "timer", "target", "mount", "tgz", "yaml",    "yml"};

/// `python@module.py` is a file, `ann@company.com.py` is a person in Paraguay.
constexpr std::string_view kNoShortDomains[] = {"py"};

bool holds_name(std::span<const std::string_view> names, std::string_view label) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return std::ranges::equal(name, label, {}, {}, lower_case);
  });
}

/// The end of a domain with a dot in it; 0 if there is none.
std::size_t domain_end(PersonalText& text, std::size_t begin) {
  constexpr std::size_t kDomainMax = 253;
  constexpr std::size_t kLabelMax = 63;
  std::size_t end = name_end(text, begin, kDomainMax);
  if (end - begin > kDomainMax) return 0;
  while (end > begin && (text.at(end - 1) == '.' || text.at(end - 1) == '-'))
    --end;
  std::string_view last;
  std::size_t labels = 0;
  std::size_t at = begin;
  while (true) {
    const std::size_t dot = text.between(at, end).find('.');
    last = dot == std::string_view::npos ? text.between(at, end) : text.between(at, at + dot);
    if (last.empty() || last.size() > kLabelMax || last.front() == '-' || last.back() == '-') {
      return 0;
    }
    ++labels;
    if (dot == std::string_view::npos) break;
    at += dot + 1;
  }
  const bool is_foreign = last.starts_with("xn--") && last.size() > 4;
  const bool is_of_letters =
      std::ranges::all_of(last, [](char c) { return is_letter(c) || is_beyond_ascii(c); });
  const bool is_domain = labels > 1 && last.size() > 1 && (is_foreign || is_of_letters);
  if (!is_domain || text.at(end) == '_') return 0;
  const bool is_file =
      holds_name(kNoDomains, last) || (labels == 2 && holds_name(kNoShortDomains, last));
  return is_file ? 0 : end;
}

/// The place after an escape such as `\n`, which is not part of a name.
std::size_t behind_escape(PersonalText& text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kEscapeMax = 5;
  if (text.before(begin) != '\\') return begin;
  for (std::size_t next = begin + 1; next < std::min(end, begin + kEscapeMax + 1); ++next) {
    if (!is_word_byte(text.at(next - 1))) break;
    if (text.begins_word(next)) return next;
  }
  return begin;
}

}  // namespace

bool read_dotted_address(PersonalText& text, const Word& word) {
  static const DetectorId kDetector = detector_id("pii.ip");
  if (!text.wants(kDetector) || text.at(word.end) != '.') return false;
  std::size_t end = dotted_end(text, word.begin);
  if (end == 0 || is_version(text, word.begin)) return false;
  if (text.is_named_by(word.begin, kVersionWords)) return false;
  end = prefix_end(text, end, kBitsOfFour);
  text.report(kDetector, word.begin, end);
  return true;
}

bool read_hardware_address(PersonalText& text, const Word& word) {
  static const DetectorId kDetector = detector_id("pii.mac");
  if (!text.wants(kDetector)) return false;
  // These forms are valid only directly after a word that names them.
  constexpr HardwareForm kNamedForms[] = {{1, 12, '\0'}, {2, 6, '-'}, {3, 4, '-'}, {6, 2, ' '}};
  for (const HardwareForm& form : kNamedForms) {
    if (word.size() != form.digits) continue;
    if (form.parts > 1 && text.at(word.end) != form.parted_by) continue;
    const std::size_t end = hardware_end(text, word.begin, form);
    if (end == 0 || !text.is_named_by(word.begin, kNamingWords)) continue;
    text.report(kDetector, word.begin, end);
    return true;
  }
  constexpr HardwareForm kForms[] = {{6, 2, '-'}, {3, 4, '.'}};
  for (const HardwareForm& form : kForms) {
    if (word.size() != form.digits) continue;
    if (text.at(word.end) != form.parted_by && text.before(word.begin) != form.parted_by) continue;
    // The first digit may be in any part.
    constexpr ByteSet kDashed("0-9A-Fa-f-");
    constexpr ByteSet kDotted("0-9A-Fa-f.");
    const std::size_t most = form.parts * (form.digits + 1);
    const std::size_t begin =
        run_begin(text, form.parted_by == '-' ? kDashed : kDotted, word.begin, most);
    if (is_word_byte(text.before(begin))) continue;
    const std::size_t end = hardware_end(text, begin, form);
    if (end == 0 || !is_hardware(text, begin, end)) continue;
    text.report(kDetector, begin, end);
    return true;
  }
  return false;
}

bool read_colon_address(PersonalText& text, std::size_t colon) {
  static const DetectorId kAddress = detector_id("pii.ip");
  static const DetectorId kHardware = detector_id("pii.mac");
  if (text.at(colon + 1) != ':' && !is_hex(text.at(colon + 1))) return false;
  constexpr std::size_t kBefore = 5;  // A group, and one byte too many.
  const std::size_t begin = run_begin(text, kHexAndColons, colon, kBefore);
  if (!text.begins_word(begin) || text.before(begin) == ':' || text.before(begin) == '_') {
    return false;
  }
  constexpr HardwareForm kColons{6, 2, ':'};
  if (text.wants(kHardware)) {
    const std::size_t end = hardware_end(text, begin, kColons);
    if (end != 0 && is_hardware(text, begin, end)) {
      text.report(kHardware, begin, end);
      return true;
    }
  }
  if (!text.wants(kAddress)) return false;
  const Groups groups = read_groups(text, begin);
  if (!is_address(text, begin, groups)) return false;
  std::size_t end = groups.end;
  if (is_word_byte(text.at(end)) || text.at(end) == ':' || text.at(end) == '_') return false;
  if (text.at(end) == '.' && is_digit(text.at(end + 1))) return false;
  if (text.at(end) == '%') {
    constexpr ByteSet kZone("A-Za-z0-9_-");
    constexpr std::size_t kZoneMax = 16;
    const std::size_t zone = run_end(text, kZone, end + 1, kZoneMax);
    if (zone > end + 1) end = zone;
  }
  end = prefix_end(text, end, kBitsOfSix);
  text.report(kAddress, begin, end);
  return true;
}

/// Whether a name before an `@` is in the user information of a URL: `//user`, `//user:password`.
/// Source: RFC 3986 §3.2.1.
bool is_user_of_url(const PersonalText& text, std::size_t begin, std::size_t at) {
  if (text.before(begin) == '/' || text.before(begin) == ':') {
    const std::size_t near = begin - std::min<std::size_t>(begin, 3);
    if (text.between(near, begin).contains("//")) return true;
  }
  constexpr std::size_t kUserMax = 128;
  const std::string_view before = text.between(at - std::min(at, kUserMax), at);
  const std::size_t slashes = before.rfind("//");
  if (slashes == before.npos) return false;
  const std::string_view user = before.substr(slashes + 2);
  // A query or a list may follow a host: `//host:80?mail=ann@example.com`.
  return user.contains(':') && user.find_first_of(" \t\r\n\"'`<>/\\?#&,;|") == user.npos;
}

bool read_email(PersonalText& text, std::size_t at) {
  static const DetectorId kDetector = detector_id("pii.email");
  if (!text.wants(kDetector)) return false;
  std::size_t begin = name_begin(text, at, kLocalMax);
  if (at - begin > kLocalMax) return false;
  begin = behind_escape(text, begin, at);
  bool is_quoted = text.before(begin) == '\'';
  while (begin < at && !is_word_byte(text.at(begin)) && !is_beyond_ascii(text.at(begin)) &&
         text.at(begin) != '_') {
    is_quoted |= text.at(begin) == '\'';
    ++begin;
  }
  if (begin == at || text.at(at - 1) == '.') return false;
  // The user of a URL or of a copy over SSH is not a mailbox.
  if (is_user_of_url(text, begin, at)) return false;
  const std::size_t end = domain_end(text, at + 1);
  if (end == 0) return false;
  // The closing quote must have an opening quote: `b'ann@example.com'`, not
  // `'o'brien@example.com'`.
  if (text.at(end) == '\'' && !is_quoted) {
    const std::size_t quote = text.between(begin, at).rfind('\'');
    if (quote != std::string_view::npos) begin += quote + 1;
    if (begin == at) return false;
  }
  const bool is_copied =
      text.at(end) == ':' && is_letter(text.at(end + 1)) && text.between(begin, at) == "git";
  if (is_copied) return false;
  text.report(kDetector, begin, end);
  return true;
}

}  // namespace bartizan
