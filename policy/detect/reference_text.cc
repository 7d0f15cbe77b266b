#include "policy/detect/reference_text.h"

#include <algorithm>
#include <cstddef>

#include "policy/detect/value_words.h"
#include "policy/text/byte_set.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// The separators of a path.
constexpr std::string_view kBetween = "/:.#@";

/// Whether a part of a path is a name, unlike a part of base64.
bool is_part_of_path(std::string_view part) {
  return std::ranges::none_of(part, is_letter) || reads_as_name(part);
}

bool ends_as_file(std::string_view value) {
  constexpr std::string_view kFiles[] = {".png", ".jpg", ".jpeg", ".gif",  ".svg",  ".webp", ".pem",
                                         ".key", ".crt", ".txt",  ".json", ".yaml", ".yml"};
  return std::ranges::any_of(kFiles, [value](std::string_view end) {
    if (!value.ends_with(end)) return false;
    const std::string_view path = value.substr(0, value.size() - end.size());
    // Npos + 1 is 0.
    return is_part_of_path(path.substr(path.find_last_of(kBetween) + 1));
  });
}

bool begins_as_path(std::string_view value) {
  constexpr std::string_view kBegins[] = {
      "/",        "./",       "../",       "~/",   "#/",   "file:", "env:",  "env.",
      "vault:",   "arn:",     "ssm:",      "gcp:", "ref:", "var.",  "data.", "local.",
      "secrets.", "process.", "projects/", "@/",   "@./",  "urn:"};
  return std::ranges::any_of(kBegins, [value](std::string_view begin) {
    if (!value.starts_with(begin)) return false;
    const std::string_view rest = value.substr(begin.size());
    const std::size_t first = std::min(rest.find_first_not_of(kBetween), rest.size());
    const std::string_view path = rest.substr(first);
    return is_part_of_path(path.substr(0, path.find_first_of(kBetween)));
  });
}

/// `$.items[0].secret_value`, `data[0].secret`. Source: RFC 9535 section 2.
bool is_path_of_members(std::string_view value) {
  static constexpr ByteSet kPath("A-Za-z0-9_.*$[]'\"-");
  const bool is_rooted = value.starts_with("$.") || value.starts_with("$[");
  if (!is_rooted && !value.contains("].") && !value.ends_with(']')) return false;
  if (!is_rooted && (value.empty() || !is_letter(value.front()))) return false;
  if (!std::ranges::all_of(value, [](char c) { return kPath.holds(c); })) return false;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::size_t end = std::min(value.find_first_of(".*$[]'\"-", at), value.size());
    const std::string_view part = value.substr(at, end - at);
    const bool is_index = at > 0 && value[at - 1] == '[' && std::ranges::all_of(part, is_digit);
    if (value.substr(end).starts_with('[') && value.find(']', end) == value.npos) return false;
    if (!is_index && !reads_as_name(part)) return false;
    at = end;
  }
  return true;
}

/// `[{][A-Za-z0-9+/]+[}]`, `.*skip.json$`: a pattern.
bool is_pattern(std::string_view value) {
  if (value.starts_with(".*") && std::ranges::none_of(value, is_digit)) return true;
  constexpr std::string_view kClasses[] = {"[^", "A-Z", "a-z", "0-9", "[:"};
  constexpr std::string_view kTimes[] = {"]+", "]*", "]{", "]?"};
  const auto is_held = [value](std::string_view one) { return value.contains(one); };
  return value.contains('[') && std::ranges::any_of(kClasses, is_held) &&
         std::ranges::any_of(kTimes, is_held);
}

/// `required|min:8|confirmed`: a validation rule.
bool is_rule(std::string_view value) {
  std::size_t rules = 0;
  for (std::size_t at = 0; at < value.size(); ++rules) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    const std::string_view rule = value.substr(at, end - at);
    const std::size_t name_end = std::min(rule.find(':'), rule.size());
    const std::string_view name = rule.substr(0, name_end);
    const std::string_view bound = rule.substr(name_end);
    const auto is_of_name = [](char c) { return is_lower(c) || c == '_'; };
    const auto is_of_bound = [](char c) { return is_lower(c) || is_digit(c) || c == ','; };
    if (name.empty() || !std::ranges::all_of(name, is_of_name) || !reads_as_name(name))
      return false;
    if (!bound.empty() && !std::ranges::all_of(bound.substr(1), is_of_bound)) return false;
    at = end + 1;
  }
  return rules > 1;
}

/// `*new*password*`: an expected prompt, as in `passwd chat` of Samba.
bool is_expected_text(std::string_view value) {
  constexpr std::ptrdiff_t kStarsMin = 3;
  return std::ranges::count(value, '*') >= kStarsMin &&
         std::ranges::all_of(value, [](char c) { return is_letter(c) || c == '*' || c == ':'; });
}

/// `dword:00000001` in registry files.
bool is_registry_number(std::string_view value) {
  constexpr std::string_view kType = "dword:";
  return value.starts_with(kType) && std::ranges::all_of(value.substr(kType.size()), is_hex);
}

/// `AKIA…/20150830/us-east-1/service/aws4_request`: the scope of a signature.
bool is_signed_scope(std::string_view value) {
  constexpr std::string_view kEnd = "4_request";
  const std::size_t end = value.rfind(kEnd);
  return end != value.npos && end > 0 && is_letter(value[end - 1]);
}

/// `9cbaf023786cd7...`, `Z3dk...WFk=`: an abbreviated value.
bool is_cut_short(std::string_view value) {
  constexpr std::string_view kDots[] = {"...", "\u2026"};
  return std::ranges::any_of(kDots, [value](std::string_view dots) {
    const std::size_t at = value.find(dots);
    return at != value.npos && at > 0 && !value.substr(at + dots.size()).starts_with('.');
  });
}

}  // namespace

bool is_reference(std::string_view value) {
  return value.contains("://") || ends_as_file(value) || begins_as_path(value) ||
         is_path_of_members(value) || is_pattern(value) || is_rule(value) ||
         is_expected_text(value) || is_registry_number(value) || is_signed_scope(value) ||
         is_cut_short(value);
}

}  // namespace bartizan
