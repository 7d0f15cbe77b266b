#include <algorithm>

#include "policy/detect/detector_id.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"
#include "policy/detect/value_words.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kScheme("A-Za-z0-9+.-");
/// The bytes that end the part of a URL before its path, and the quotes of URLs.
constexpr ByteSet kAuthority = ByteSet("/?#\\ \t\r\n\"'`<>,|").others();
constexpr ByteSet kRest = ByteSet(" \t\r\n\"'`<>").others();
constexpr std::size_t kSchemeMax = 32;
constexpr std::size_t kAuthorityMax = 512;

/// Parameters beside a `Signature` or `sig` that signs the URL.
constexpr std::string_view kCompanions[] = {
    "AWSAccessKeyId=", "GoogleAccessId=", "Key-Pair-Id=", "X-Amz-", "X-Goog-", "sv=",
    "SignedHeaders=",  "OSSAccessKeyId=", "q-sign-time=", "se=",    "q-ak=",
};

bool is_companion(std::string_view url) {
  return std::ranges::any_of(kCompanions,
                             [url](std::string_view name) { return url.contains(name); });
}

/// The URL around a place, or at least its query. It is searched for once in each.
ScanText::Url url_around(ScanText& text, std::size_t place) {
  if (place >= text.last_url().begin && place < text.last_url().end) return text.last_url();
  const std::size_t run_begin = text.run_begin(kUrlRuns, place);
  ScanText::Url url{.begin = run_begin, .end = text.run_end(kUrlRuns, place)};
  // Some JSON writers use \u0026 instead of an ampersand.
  while (text.holds("\\u0026", url.end))
    url.end = text.run_end(kUrlRuns, url.end + 6);
  while (url.begin >= 6 && text.holds("\\u0026", url.begin - 6))
    url.begin = text.run_begin(kUrlRuns, url.begin - 6);
  // The first one: a URL in the path or query belongs to the host before it.
  const std::string_view before = text.between(url.begin, place);
  if (const std::size_t slashes = before.find("://"); slashes != before.npos) {
    const std::size_t colon = url.begin + slashes;
    url.begin = text.run_begin(kScheme, colon, kSchemeMax);
  }
  text.add_work(3 * (url.end - url.begin));
  const std::size_t first = text.between(url.begin, url.end).find("://");
  if (first != std::string_view::npos) url.host = url.begin + first + 3;
  url.is_presigned = is_companion(text.between(url.begin, url.end));
  text.set_last_url(url);
  return url;
}

bool is_port(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

/// `foo:bar@example.com`, `[[USER:]PASSWORD@]HOST`: examples in manuals. Source: RFC 2606.
bool is_of_manual(std::string_view password, std::string_view host) {
  constexpr std::size_t kWordMax = 8;
  constexpr std::string_view kHosts[] = {"example.com", "example.org", "example.net"};
  // `cvs://:pserver:anoncvs@…` has a connection method and an anonymous user.
  if (password.starts_with("pserver:")) return true;
  // A class of characters in a pattern: `https://([[:alnum:]_:]+)@`.
  if (password.contains(":]")) return true;
  if (password.starts_with(']') || password.starts_with('[') || password.starts_with('\\')) {
    return true;
  }
  const bool is_word =
      password.size() <= kWordMax && (std::ranges::all_of(password, is_lower) || is_port(password));
  return is_word && std::ranges::any_of(kHosts, [host](std::string_view one) {
           return host.substr(0, host.find(':')) == one;
         });
}

}  // namespace

void read_url_password(ScanText& text, std::size_t begin) {
  const std::size_t user = begin + 3;
  std::size_t end = text.run_end(kAuthority, user, kAuthorityMax);
  std::string_view authority = text.between(user, end);
  const std::size_t colon = authority.find(':');
  if (!authority.contains('@') && colon != authority.npos &&
      !is_port(authority.substr(colon + 1))) {
    // Passwords are often not encoded, and contain delimiters of URLs.
    constexpr std::size_t kPasswordMax = 128;
    end = text.run_end(kRest, user, colon + kPasswordMax);
    authority = text.between(user, end);
  }
  const std::size_t at = authority.rfind('@');
  if (at == authority.npos) return;
  const bool has_password = colon != authority.npos && colon < at;
  const std::size_t secret = has_password ? colon + 1 : 0;
  const std::string_view value = authority.substr(secret, at - secret);
  text.add_work(value.size());
  if (value.contains('<')) return;
  if (has_password ? is_placeholder(value) || is_constant_name(value) : !looks_generated(value)) {
    return;
  }
  // The colon belongs to an address: `http://user@[::1]@host`.
  if (has_password && authority.substr(0, colon).ends_with('[')) return;
  // `https://:@host\@other` is a test for open redirects.
  if (colon == 0 && value.starts_with('@')) return;
  if (has_password && is_of_manual(value, authority.substr(at + 1))) return;
  static const DetectorId detector = detector_id("url.password");
  text.report({.begin = user + secret,
               .end = user + at,
               .detector = detector,
               .whole_begin = text.run_begin(kScheme, begin, kSchemeMax),
               .whole_end = std::max(user + at, text.run_end(kUrlRuns, user + at))});
}

void read_signature(ScanText& text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kValueMin = 16;
  const char before = begin == 0 ? '?' : text.at(begin - 1);
  const bool is_parameter = !is_letter(before) && !is_digit(before) && before != '-';
  const bool is_escaped = begin >= 6 && text.holds("\\u0026", begin - 6);
  if (!is_parameter && !is_escaped && !text.begins_word(begin)) return;
  if (!text.last_signature().lets_read(begin)) return;
  const std::size_t value_end = text.run_end(kQueryValueRuns, end);
  const std::string_view value = text.between(end, value_end).substr(0, kJudgedMax);
  text.last_signature().note(begin, end + value.size());
  text.add_work(value.size());
  if (value.size() < kValueMin || !looks_random(value)) return;
  const ScanText::Url url = url_around(text, begin);
  if (!url.is_presigned) return;
  static const DetectorId presigned = detector_id("url.presigned");
  static const DetectorId sas = detector_id("azure.sas");
  const bool is_url = url.host <= begin;
  const bool is_sas = text.holds("sig=", begin) && !is_url;
  text.report({.begin = end,
               .end = value_end,
               .detector = is_sas ? sas : presigned,
               .whole_begin = url.begin,
               .whole_end = std::max(url.end, value_end)});
}

}  // namespace bartizan
