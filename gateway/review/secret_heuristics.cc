#include "gateway/review/secret_heuristics.h"

#include <algorithm>
#include <array>

namespace bartizan {
namespace {

/// Shorter random texts are not secrets worth protecting.
constexpr std::size_t kRandomMin = 20;

/// Parts and endings of variable names, in upper case.
constexpr std::array<std::string_view, 10> kSecretNames{
    "TOKEN",      "SECRET", "PASSWORD", "PASSWD",  "PASSPHRASE",
    "CREDENTIAL", "APIKEY", "API_KEY",  "PRIVATE", "CONNECTION_STRING"};
constexpr std::array<std::string_view, 4> kSecretEndings{"_KEY", "_PAT", "_AUTH", "_DSN"};

/// Prefixes of issued keys.
constexpr std::array<std::string_view, 16> kSecretPrefixes{
    "ghp_",  "gho_", "ghs_", "github_pat_", "glpat-", "sk-",  "xoxb-", "xoxp-",
    "xapp-", "AKIA", "AIza", "eyJ",         "hf_",    "npm_", "btz_",  "-----BEGIN"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/// Long, with letters and digits mixed, and not a path, name or sentence.
bool looks_random(std::string_view value) {
  // Base64 may end with `=`. Anywhere else it belongs to readable text.
  while (value.ends_with('='))
    value.remove_suffix(1);
  if (value.size() < kRandomMin || value.starts_with('-')) return false;
  const bool is_dense = std::ranges::all_of(value, [](char c) {
    return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '+';
  });
  return is_dense && std::ranges::count_if(value, is_digit) >= 4 &&
         std::ranges::any_of(value, is_letter);
}

/// `scheme://user:password@host`
bool has_url_password(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = value.substr(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view user = authority.substr(0, at);
  const std::size_t colon = user.find(':');
  if (colon == std::string_view::npos) return false;
  // Some servers take a token as the user name, without a password.
  return colon + 1 < user.size() || looks_random(user.substr(0, colon));
}

/// `NAME: VALUE`, the argument of options that send a header. The characters of a field name
/// distinguish it from paths and URLs.
bool is_secret_header_line(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.substr(colon).starts_with("://")) return false;
  const std::string_view name = text.substr(0, colon);
  std::string_view value = text.substr(colon + 1);
  while (value.starts_with(' '))
    value.remove_prefix(1);
  if (value.empty() || name.find_first_of("/\\ =") != std::string_view::npos) return false;
  return is_secret_header(name, value);
}

/// `NAME=VALUE`: a variable for a child process.
bool is_secret_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) return false;
  const std::string_view name = text.substr(0, equals);
  const bool is_name =
      !name.empty() && !is_digit(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  return is_name && may_be_secret(name, text.substr(equals + 1));
}

/// The literal text. `postgres://ann:${PASSWORD}@db` keeps all but the password, and
/// `Authorization: Bearer ${KEY}` only the field's name.
std::string without_placeholders(std::string_view text) {
  constexpr std::array<std::string_view, 3> kSchemes{"BEARER ", "BASIC ", "TOKEN "};
  constexpr std::size_t kLongestScheme = 7;
  std::string left;
  while (true) {
    const std::size_t begin = text.find("${");
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) break;
    left += text.substr(0, begin);
    text.remove_prefix(end + 1);
    const std::string last = in_capitals(
        std::string_view(left).substr(left.size() - std::min(left.size(), kLongestScheme)));
    for (const std::string_view scheme : kSchemes) {
      if (last.ends_with(scheme)) left.resize(left.size() - scheme.size());
    }
  }
  return left.append(text);
}

/// For an argument without placeholders.
bool is_secret_literal(std::string_view before, std::string_view argument) {
  if (argument.empty()) return false;
  if (!find_secret_parameter(argument).empty()) return true;
  const std::size_t equals = argument.find('=');
  if (argument.starts_with('-') && equals != std::string_view::npos) {
    const std::string_view value = argument.substr(equals + 1);
    if (value.empty()) return false;
    return may_be_secret(argument.substr(0, equals), value) || is_secret_header_line(value) ||
           is_secret_assignment(value);
  }
  if (argument.starts_with('-')) return false;
  if (may_be_secret(argument) || is_secret_assignment(argument)) return true;
  if (in_capitals(argument).contains("BEARER ")) return true;
  if ((before == "-H" || in_capitals(before).contains("HEADER")) &&
      is_secret_header_line(argument)) {
    return true;
  }
  return before.starts_with('-') && !before.contains('=') && may_be_secret(before, argument);
}

}  // namespace

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capitals;
}

bool holds_placeholder(std::string_view text) {
  return text.contains("${");
}

std::string find_secret_parameter(std::string_view url) {
  url = url.substr(0, url.find('#'));
  const std::size_t mark = url.find('?');
  if (!url.contains("://") || mark == std::string_view::npos) return {};
  for (std::string_view rest = url.substr(mark + 1); !rest.empty();) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || equals + 1 == parameter.size()) continue;
    const std::string_view name = parameter.substr(0, equals);
    if (holds_placeholder(parameter)) continue;
    if (may_be_secret(name, parameter.substr(equals + 1))) return std::string(name);
  }
  return {};
}

bool may_be_secret(std::string_view value) {
  const auto begins = [value](std::string_view prefix) { return value.starts_with(prefix); };
  return std::ranges::any_of(kSecretPrefixes, begins) || has_url_password(value) ||
         looks_random(value);
}

bool may_be_secret(std::string_view name, std::string_view value) {
  std::string capitals = in_capitals(name);
  std::ranges::replace(capitals, '-', '_');  // As options are spelled.
  const auto is_in_name = [&](std::string_view part) { return capitals.contains(part); };
  const auto ends_name = [&](std::string_view part) { return capitals.ends_with(part); };
  return std::ranges::any_of(kSecretNames, is_in_name) ||
         std::ranges::any_of(kSecretEndings, ends_name) || capitals == "KEY" ||
         may_be_secret(value);
}

bool is_secret_header(std::string_view name, std::string_view value) {
  const std::string capitals = in_capitals(name);
  return capitals == "AUTHORIZATION" || capitals == "COOKIE" || may_be_secret(name, value);
}

bool is_secret_argument(std::string_view before, std::string_view argument) {
  return is_secret_literal(before, without_placeholders(argument));
}

}  // namespace bartizan
