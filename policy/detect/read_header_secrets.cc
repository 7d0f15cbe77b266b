#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "policy/detect/basic_credential.h"
#include "policy/detect/detector_id.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kSpaces(" \t");
/// Characters between a header's name and its value in code, JSON, YAML, tables and logs.
constexpr ByteSet kBetween(" \t\"'`\\:=>,|[(");
constexpr ByteSet kSchemeName("A-Za-z0-9-");
constexpr ByteSet kCookieName("A-Za-z0-9_.~!#$%&*+^`|-");
constexpr std::size_t kBetweenMax = 16;
constexpr std::size_t kSchemeMax = 24;

constexpr std::string_view kSchemes[] = {
    "apikey", "api-key", "basic",           "bearer",    "bot",   "dpop",   "geniekey", "hawk",
    "jwt",    "key",     "klaviyo-api-key", "negotiate", "oauth", "splunk", "ssws",     "token",
};

bool is_scheme(std::string_view word) {
  return std::ranges::any_of(kSchemes, [word](std::string_view scheme) {
    return std::ranges::equal(word, scheme, {}, lower_case);
  });
}

void report(ScanText& text, std::size_t begin, std::size_t end) {
  static const DetectorId detector = detector_id("http.authorization");
  text.report(detector, begin, end);
}

/// Removes a full stop or similar sign that ends a sentence.
std::size_t without_stop(const ScanText& text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kStops = ".:|";
  constexpr std::size_t kStopsMax = 16;
  for (std::size_t i = 0; i < kStopsMax && end > begin && kStops.contains(text.at(end - 1)); ++i)
    --end;
  return end;
}

/// The judged part of a value.
std::string_view judged(ScanText& text, std::size_t begin, std::size_t end) {
  const std::string_view value = text.between(begin, end).substr(0, kJudgedMax);
  text.add_work(value.size());
  return value;
}

/// Parameters of a server's challenge, or of a client's signature.
constexpr std::string_view kChallenges[] = {
    "realm",   "error", "error_description", "error_uri", "resource_metadata", "scope",
    "charset", "nonce", "algorithm",         "algs",      "authorization_uri", "max_age",
};

/// Whether the text after a scheme is a challenge: `Bearer realm="…"`.
bool is_challenge(std::string_view value) {
  const std::string_view name = value.substr(0, value.find('='));
  return name.size() < value.size() && std::ranges::any_of(
                                           kChallenges,
                                           [name](std::string_view one) {
                                             return std::ranges::equal(name, one, {}, lower_case);
                                           });
}

/// The value of AWS4-HMAC-SHA256 and similar schemes is a list. Its signature is the secret.
void read_aws_signature(ScanText& text, std::size_t begin) {
  constexpr std::size_t kListMax = 512;
  constexpr std::string_view kName = "Signature=";
  const std::string_view list = text.bytes().substr(begin, kListMax);
  text.add_work(list.size());
  const std::size_t name = list.find(kName);
  if (name == list.npos) return;
  const std::size_t value = begin + name + kName.size();
  const std::size_t end = text.run_end(kCredentialRuns, value);
  if (looks_generated(judged(text, value, end))) report(text, value, end);
}

}  // namespace

void read_authorization(ScanText& text, std::size_t end) {
  constexpr std::size_t kValueMin = 8;
  if (!text.last_authorization().lets_read(end)) return;
  const std::size_t word = text.run_end(kBetween, end, kBetweenMax);
  if (word == end) return;
  const std::size_t word_end = text.run_end(kSchemeName, word, kSchemeMax);
  const std::string_view scheme = text.between(word, word_end);
  if (scheme.ends_with("-HMAC-SHA256")) {
    text.last_authorization().note(end, word_end + kJudgedMax);
    return read_aws_signature(text, word_end);
  }
  if (!is_scheme(scheme) || text.run_end(kSpaces, word_end, 1) == word_end) {
    const std::size_t value_end = without_stop(text, word, text.run_end(kCredentialRuns, word));
    const std::string_view value = judged(text, word, value_end);
    text.last_authorization().note(end, word + value.size());
    if (!value.contains("://") && looks_generated(value)) report(text, word, value_end);
    return;
  }
  const std::size_t value = text.run_end(kSpaces, word_end, kBetweenMax);
  const std::size_t value_end = without_stop(text, value, text.run_end(kCredentialRuns, value));
  const std::string_view credential = judged(text, value, value_end);
  text.last_authorization().note(end, value + credential.size());
  if (credential.size() < kValueMin || credential.contains("://")) return;
  if (!looks_chosen(credential) || is_challenge(credential)) return;
  const bool is_basic = std::ranges::equal(scheme, std::string_view("basic"), {}, lower_case);
  if (is_basic && is_example_credential(credential)) return;
  report(text, value, value_end);
}

void read_scheme(ScanText& text, std::size_t begin, std::size_t end) {
  if (!text.begins_word(begin)) return;
  const std::size_t value = text.run_end(kSpaces, end, kBetweenMax);
  const std::size_t value_end = without_stop(text, value, text.run_end(kCredentialRuns, value));
  const std::string_view credential = judged(text, value, value_end);
  const bool is_bearer = lower_case(text.at(begin)) == 'b' && lower_case(text.at(begin + 1)) == 'e';
  constexpr std::size_t kBasicMin = 8;
  const bool is_secret =
      is_bearer
          ? looks_generated(credential) && !credential.contains("://") && !is_challenge(credential)
          : credential.size() >= kBasicMin && is_basic_credential(credential) &&
                !is_example_credential(credential);
  if (is_secret) report(text, value, value_end);
}

namespace {

constexpr std::string_view kAttributes[] = {"path",     "domain",   "expires", "max-age",
                                            "samesite", "priority", "version"};
constexpr std::string_view kSessionWords[] = {"sess", "sid",  "auth", "token",
                                              "jwt",  "csrf", "xsrf"};

bool is_attribute(std::string_view name) {
  return std::ranges::any_of(kAttributes, [name](std::string_view attribute) {
    return std::ranges::equal(name, attribute, {}, lower_case);
  });
}

bool is_session(std::string_view name) {
  return std::ranges::any_of(kSessionWords, [name](std::string_view word) {
    return !std::ranges::search(name, word, {}, lower_case).empty();
  });
}

/// `%7B%22theme%22…`, `j%3A%7B%22theme%22…`: unsigned JSON.
bool is_json(std::string_view value) {
  constexpr std::string_view kBegins[] = {"%7B%22", "j%3A%7B", "%5B", "j%3A%5B"};
  return std::ranges::any_of(kBegins,
                             [value](std::string_view begin) { return value.starts_with(begin); });
}

void read_cookie(ScanText& text, std::size_t name, std::size_t value, std::size_t end) {
  constexpr std::size_t kValueMin = 8;
  const std::string_view word = text.between(name, value - 1);
  const std::string_view content = judged(text, value, end);
  if (content.size() < kValueMin || is_attribute(word)) return;
  if (!is_session(word) && is_json(content)) return;
  if (is_session(word) ? is_placeholder(content) : !looks_generated(content)) return;
  static const DetectorId detector = detector_id("http.cookie");
  text.report(detector, value, end);
}

}  // namespace

void read_cookies(ScanText& text, std::size_t end) {
  constexpr std::size_t kNameMax = 64;
  constexpr int kPairsMax = 50;
  if (end <= text.cookies_end()) return;
  std::size_t at = text.run_end(kBetween, end, kBetweenMax);
  for (int i = 0; i < kPairsMax; ++i) {
    const std::size_t name_end = text.run_end(kCookieName, at, kNameMax);
    if (name_end == at) break;
    std::size_t pair_end = name_end;
    if (text.at(name_end) == '=') {
      pair_end = text.run_end(kCookieRuns, name_end + 1);
      read_cookie(text, at, name_end + 1, pair_end);
    }
    if (text.at(pair_end) != ';') {
      at = pair_end;
      break;
    }
    at = text.run_end(kSpaces, pair_end + 1, kBetweenMax);
  }
  text.set_cookies_end(at);
}

}  // namespace bartizan
