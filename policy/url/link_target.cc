#include "policy/url/link_target.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <unicode/uchar.h>

#include "policy/text/percent.h"
#include "policy/url/url.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Longer than any scheme, in the longest spelling.
constexpr std::size_t kSchemeBytesMax = 2048;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

constexpr std::string_view kPunctuation = R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)";

bool is_escape(std::string_view text, std::size_t at) {
  return text[at] == '\\' && at + 1 < text.size() && kPunctuation.contains(text[at + 1]);
}

/// Skips white space before a target, and the quotation signs of its lines.
std::string_view skip_space(std::string_view text) {
  bool is_new_line = false;
  std::size_t begin = 0;
  for (; begin < text.size(); ++begin) {
    const char c = text[begin];
    is_new_line = is_new_line || c == '\n' || c == '\r';
    if (!is_space(c) && !(c == '>' && is_new_line)) break;
  }
  return text.substr(begin);
}

/// The text before the end, or nothing if the next link begins earlier. So no text is read for two
/// links. A `]` after a backslash begins none. The end is also unknown if white space follows a
/// backslash, as some parsers read both as part of the target.
template <class IsEnd>
std::optional<std::string_view> cut_at(std::string_view text, IsEnd is_end) {
  for (std::size_t end = 0; end < text.size(); ++end) {
    if (is_end(text[end])) return text.substr(0, end);
    const bool is_next =
        text[end] == ']' && end + 1 < text.size() && (text[end + 1] == '(' || text[end + 1] == ':');
    if (is_next) return std::nullopt;
    // A text that is joined after it may begin with white space.
    const bool is_doubtful = end + 1 == text.size() || is_space(text[end + 1]);
    if (text[end] == '\\' && is_doubtful) return std::nullopt;
    if (is_escape(text, end)) ++end;
  }
  return text;
}

/// The target of a link up to the closing bracket that has no opening one.
std::optional<std::string_view> cut_balanced(std::string_view text) {
  std::size_t depth = 0;
  return cut_at(text, [&depth](char c) {
    if (is_space(c) || (c == ')' && depth == 0)) return true;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    return false;
  });
}

/// The possible targets at a place, as parsers differ; none if one has no known end.
struct Targets {
  std::optional<std::string_view> first, second;
};

Targets cut_targets(std::string_view text) {
  text = skip_space(text);
  const auto plain = cut_at(text, [](char c) { return is_space(c) || c == ')'; });
  if (!plain.has_value()) return {};
  if (!text.starts_with('<')) return {plain, cut_balanced(text)};
  // After defusing, the `<` may be gone. So the target must end in both readings, or it has none.
  text.remove_prefix(1);
  const auto within = cut_at(text, [](char c) { return c == '>' || c == '<' || c == '\n'; });
  const bool is_closed = within.has_value() && text.substr(within->size()).starts_with('>');
  return is_closed ? Targets{within, plain} : Targets{};
}

struct Entity {
  char value = 0;
  std::size_t size = 0;    ///< 0 if there is none.
  bool is_for_all = true;  ///< Markdown and HTML read it alike.
};

/// The reference to an ASCII character at the `&` there.
/// Source: HTML, "Named character references", those of ASCII; "Numeric character reference".
Entity read_entity(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 12> kNamed{{{"&colon;", ':'},
                                                                      {"&Tab;", '\t'},
                                                                      {"&NewLine;", '\n'},
                                                                      {"&sol;", '/'},
                                                                      {"&bsol;", '\\'},
                                                                      {"&period;", '.'},
                                                                      {"&commat;", '@'},
                                                                      {"&num;", '#'},
                                                                      {"&quest;", '?'},
                                                                      {"&comma;", ','},
                                                                      {"&semi;", ';'},
                                                                      {"&amp;", '&'}}};
  for (const auto& [name, value] : kNamed) {
    if (text.starts_with(name)) return {value, name.size()};
  }
  if (!text.starts_with("&#")) return {};
  const bool is_hexadecimal = text.size() > 2 && lower_case(text[2]) == 'x';
  const std::size_t begin = is_hexadecimal ? 3 : 2;
  const unsigned base = is_hexadecimal ? 16 : 10;
  std::size_t end = begin;
  unsigned value = 0;
  for (; end < text.size(); ++end) {
    const std::optional<unsigned> digit = hex_digit(text[end]);
    if (!digit.has_value() || *digit >= base) break;
    value = std::min(value * base + *digit, 0x110000U);
  }
  if (end == begin || value >= 0x80) return {};
  const bool is_ended = end < text.size() && text[end] == ';';
  const std::size_t digits_max = is_hexadecimal ? 6 : 7;
  return {static_cast<char>(value), end + (is_ended ? 1 : 0),
          is_ended && end - begin <= digits_max};
}

/// Decodes a target as browsers do. Tabs and newlines are removed. Sets `is_doubtful` if parsers
/// read references as different characters.
std::string decode_target(std::string_view target, bool* is_doubtful = nullptr) {
  std::string decoded;
  for (std::size_t at = 0; at < target.size();) {
    char value = target[at];
    std::size_t size = 1;
    if (value == '&') {
      const Entity entity = read_entity(target.substr(at));
      if (entity.size > 0) {
        value = entity.value;
        size = entity.size;
        if (!entity.is_for_all && is_doubtful != nullptr) *is_doubtful = true;
      }
    } else if (is_escape(target, at)) {
      value = target[at + 1];
      size = 2;
    }
    at += size;
    const bool is_nothing = value == '\t' || value == '\n' || value == '\r' ||
                            (decoded.empty() && static_cast<unsigned char>(value) <= ' ');
    if (!is_nothing) decoded += value;
  }
  return decoded;
}

std::string without_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = text[at] == '%' ? escaped_byte(text, at) : std::nullopt;
    decoded += byte.has_value() ? static_cast<char>(*byte) : text[at];
    if (byte.has_value()) at += 2;
  }
  return decoded;
}

/// The scheme in lower case, without its colon; empty if the text has none.
std::string scheme_of(std::string_view target) {
  std::string scheme;
  for (const char c : target) {
    if (c == ':') return scheme;
    const bool is_part =
        is_letter(c) || (!scheme.empty() && (is_digit(c) || c == '+' || c == '-' || c == '.'));
    if (!is_part) return "";
    scheme += lower_case(c);
  }
  return "";
}

bool is_script_scheme(std::string_view scheme) {
  return scheme == "javascript" || scheme == "vbscript" || scheme == "data";
}

bool is_web_scheme(std::string_view scheme) {
  constexpr std::array<std::string_view, 5> kSchemes{"http", "https", "ws", "wss", "ftp"};
  return std::ranges::find(kSchemes, scheme) != kSchemes.end();
}

bool leads_where_it_may(std::string_view url, const LinkFilter& may_lead_to) {
  const std::optional<Url> read = read_url(url);
  return read.has_value() && may_lead_to(read->host);
}

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

bool is_harmless_url(std::string_view target, const LinkFilter& may_lead_to) {
  const std::string scheme = scheme_of(target);
  if (is_web_scheme(scheme)) return leads_where_it_may(target, may_lead_to);
  if (!scheme.empty()) return false;
  const bool has_host = target.size() > 1 && is_slash(target[0]) && is_slash(target[1]);
  if (has_host) return leads_where_it_may("https:" + std::string(target), may_lead_to);
  return !is_script_scheme(scheme_of(without_percent(target)));
}

/// Some parsers drop a host and port beyond this length, and read the rest as the host.
bool has_long_host(std::string_view target) {
  constexpr std::size_t kHostMax = 255;
  const std::size_t slashes = target.find_first_of("/\\");
  if (slashes == target.npos) return false;
  const std::size_t begin = std::min(target.find_first_not_of("/\\", slashes), target.size());
  const std::size_t end = std::min(target.find_first_of("/\\?#", begin), target.size());
  return end - begin > kHostMax;
}

/// Browsers read a backslash as a slash. Renderers may write it as `%5C`, which is not a slash.
std::string with_written_backslashes(std::string_view target) {
  std::string written;
  for (const char c : target)
    c == '\\' ? written.append("%5C") : written.append(1, c);
  return written;
}

/// Removes leading Unicode white space, as some parsers do.
std::string_view trimmed(std::string_view target) {
  constexpr std::string_view kSpaces = " \t\n\r\f\v";
  while (!target.empty()) {
    const Utf8Character first = read_utf8(target);
    const bool is_blank = kSpaces.contains(target.front()) || first.value == 0xFEFF ||
                          u_isUWhiteSpace(static_cast<UChar32>(first.value)) != 0;
    if (!is_blank) break;
    target.remove_prefix(std::max<std::size_t>(first.size, 1));
  }
  return target;
}

bool is_harmless_in_any_spelling(std::string_view target, const LinkFilter& may_lead_to) {
  bool is_doubtful = false;
  const std::string decoded = decode_target(target, &is_doubtful);
  // A remaining reference may be a blank; `&lt;` is a defused `<`.
  const std::string_view shown = trimmed(decoded);
  if (is_doubtful || (shown.starts_with('&') && !shown.starts_with("&lt;"))) return false;
  // Not all Markdown renderers remove backslashes from targets.
  for (const std::string_view one : {shown, trimmed(target)}) {
    if (has_long_host(one)) return false;
    const std::string written = with_written_backslashes(one);
    if (!is_harmless_url(one, may_lead_to) || !is_harmless_url(written, may_lead_to)) return false;
  }
  return true;
}

}  // namespace

bool is_harmless_target(std::string_view text, const LinkFilter& may_lead_to) {
  const Targets targets = cut_targets(text);
  if (!targets.first.has_value() || !targets.second.has_value()) return false;
  if (!is_harmless_in_any_spelling(*targets.first, may_lead_to)) return false;
  if (*targets.second == *targets.first) return true;
  // The form after its `<` is defused.
  std::string second(*targets.second);
  if (second.starts_with('<')) second.replace(0, 1, "&lt;");
  return is_harmless_in_any_spelling(second, may_lead_to);
}

bool is_active_autolink(std::string_view text, const LinkFilter& may_lead_to) {
  const std::size_t end = text.find_first_of("> \t\r\n<");
  if (end == std::string_view::npos || is_space(text[end])) return false;
  const std::string_view written = text.substr(0, end);
  const std::string target = decode_target(written);
  const std::string scheme = scheme_of(target);
  const bool does_something = is_web_scheme(scheme) || is_script_scheme(scheme) ||
                              target.substr(scheme.size()).starts_with("://");
  if (!does_something) return false;
  // A `<` may be gone after others are defused.
  return text[end] == '<' || !is_harmless_in_any_spelling(written, may_lead_to);
}

bool is_script_url(std::string_view text) {
  const std::string_view head = text.substr(0, std::min(text.size(), kSchemeBytesMax));
  // Only a URL has a scheme, and most texts have neither a colon nor an equivalent.
  if (!head.contains(':') && !head.contains('&')) return false;
  const std::string target = decode_target(head);
  const std::string scheme = scheme_of(target);
  if (!is_script_scheme(scheme)) return false;
  const std::string_view rest = std::string_view(target).substr(scheme.size() + 1);
  if (rest.empty() || is_space(rest[0])) return false;
  // Many texts with `data:` are not URLs: a URL has a type, or a comma.
  const std::size_t end = std::min(rest.find_first_of("/;,<&:] \n"), rest.size() - 1);
  return scheme != "data" || std::string_view("/;,").contains(rest[end]);
}

}  // namespace bartizan
