#include "policy/detect/assigned_value.h"

#include <algorithm>
#include <string_view>

#include "policy/detect/secret_readers.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kName("A-Za-z0-9_.-");
constexpr ByteSet kSpaces(" \t");
constexpr ByteSet kLineSpaces(" \t\r\n");
constexpr ByteSet kOperator(":=>~");
/// A type between a name and its value: `: string =`, `: &str =`, `[] =`, `: Optional[str] =`.
constexpr ByteSet kType("A-Za-z0-9_.&:*?|[] ");
constexpr ByteSet kNumber("0-9");

constexpr std::size_t kNameMax = 64;
constexpr std::size_t kSpacesMax = 12;
constexpr std::size_t kTypeMax = 40;

/// Reads forward from the end of a name.
class ValueReader {
 public:
  ValueReader(ScanText& text, std::size_t name_begin, std::size_t name_end)
      : text_(text), name_begin_(name_begin), name_end_(name_end), at_(name_end) {}

  /// Moves to the start of the value. False if nothing is assigned here.
  bool find_value() {
    const bool was_quoted = skip_closing();
    skip(kSpaces, kSpacesMax);
    if (skip_operator()) {
      skip(kSpaces, kSpacesMax);
      skip_value_key();
      return true;
    }
    if (skip_value_key()) return true;
    if (was_quoted && text_.at(at_) == ',') {  // ("password", "value"), and lists of pairs.
      ++at_;
      skip(kSpaces, kSpacesMax);
      is_listed_ = true;
      return text_.at(at_) != '`' && is_quote(text_.at(at_));
    }
    if (is_option() || is_sql() || is_set() || is_directive()) return true;
    if (was_quoted) return skip_to_default();
    return skip_type();
  }

  Assignment read() {
    Assignment assigned{.name_begin = name_begin_,
                        .name_end = 0,
                        .value_begin = at_,
                        .value_end = at_,
                        .quoting = Quoting::quotes,
                        .is_compared = is_compared_,
                        .is_listed = is_listed_};
    skip_string_prefix();
    assigned.is_formatted = is_formatted_;
    if (text_.at(at_) == '\\' && is_quote(text_.at(at_ + 1))) {
      return take(assigned, at_ + 2, kEscapedQuotedRuns);
    }
    switch (text_.at(at_)) {
      case '"':
        return take(assigned, at_ + 1, kDoubleQuotedRuns);
      case '\'':
        return take(assigned, at_ + 1, kSingleQuotedRuns);
      case '`':
        return take(assigned, at_ + 1, kBackQuotedRuns);
      default:
        break;
    }
    assigned.quoting = is_markup_ ? Quoting::markup : Quoting::none;
    return take(assigned, at_, is_markup_ ? kMarkupRuns : kBareRuns);
  }

 private:
  static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

  void skip(const ByteSet& set, std::size_t most) { at_ = text_.run_end(set, at_, most); }

  /// The characters that close the name: quotes, a bracket of an index.
  bool skip_closing() {
    const std::size_t begin = at_;
    if (text_.at(at_) == '\\' && is_quote(text_.at(at_ + 1))) at_ += 2;
    if (is_quote(text_.at(at_))) ++at_;
    if (text_.at(at_) == ']') ++at_;
    if (text_.at(at_) == '[') {  // char password[64] = "…"
      const std::size_t close = text_.run_end(kNumber, at_ + 1, 8);
      if (text_.at(close) == ']') at_ = close + 1;
    }
    return at_ != begin;
  }

  /// Paths of names, matches of patterns, and comparisons of sizes assign nothing.
  static bool is_other_operator(std::string_view mark) {
    constexpr std::string_view kOthers[] = {"::", ":::", "=~", ">=", "~>", "~=", "~"};
    return std::ranges::find(kOthers, mark) != std::end(kOthers);
  }

  bool skip_operator() {
    // Directly after a name the first sign is the operator, and the next belongs to the value.
    const char third = text_.at(at_ + 2);
    const bool is_arrow = text_.at(at_ + 1) == '>' && (is_quote(third) || kSpaces.holds(third));
    const bool is_one = text_.at(at_) == '=' && !kSpaces.holds(before()) && !is_arrow;
    const std::size_t most = is_one ? 1 : 3;
    const std::size_t end = text_.run_end(kOperator, at_, most);
    if (end == at_ || is_other_operator(text_.between(at_, end))) return false;
    is_markup_ = text_.at(at_) == '>';
    is_compared_ = end - at_ >= 2 && text_.holds("==", at_);
    at_ = end;
    return true;
  }

  /// `name: API_KEY`, with the value below it or beside it.
  bool skip_value_key() {
    constexpr std::string_view kValues[] = {"value", "Value", "content", "default"};
    std::size_t at = at_;
    if (text_.at(at) == ',') ++at;
    at = text_.run_end(kLineSpaces, at, 2 * kSpacesMax);
    if (at == at_ && !is_quote(text_.at(at)) && !kSpaces.holds(before())) return false;
    if (is_quote(text_.at(at))) ++at;
    const auto* const word = std::ranges::find_if(
        kValues, [&](std::string_view value) { return text_.holds(value, at); });
    if (word == std::end(kValues)) return false;
    at += word->size();
    if (is_quote(text_.at(at))) ++at;
    at = text_.run_end(kSpaces, at, kSpacesMax);
    if (text_.at(at) != ':' && text_.at(at) != '=') return false;
    at_ = text_.run_end(kSpaces, at + 1, kSpacesMax);
    return true;
  }

  /// `--password value`.
  bool is_option() const { return text_.holds("--", name_begin_) && kSpaces.holds(before()); }

  /// `IDENTIFIED BY 'value'`, `PASSWORD 'value'`.
  bool is_sql() const {
    if (!kSpaces.holds(before()) || text_.at(at_) != '\'') return false;
    constexpr std::string_view kEnds[] = {"password", " by"};
    const std::string_view name = text_.between(name_begin_, name_end_);
    return std::ranges::any_of(kEnds, [name](std::string_view end) {
      return name.size() >= end.size() &&
             std::ranges::equal(name.substr(name.size() - end.size()), end, {}, lower_case);
    });
  }

  /// `setx NAME value` of Windows.
  bool is_set() const {
    constexpr std::string_view kSet = "setx ";
    if (name_begin_ < kSet.size() || !kSpaces.holds(before())) return false;
    const std::string_view word = text_.between(name_begin_ - kSet.size(), name_begin_);
    return std::ranges::equal(word, kSet, {}, lower_case);
  }

  /// `variable "db_password" { … default = "value" }` of Terraform.
  bool skip_to_default() {
    constexpr std::string_view kVariable = "variable \"";
    constexpr std::string_view kDefault = "default";
    constexpr std::size_t kBlockMax = 512;
    if (name_begin_ < kVariable.size() || text_.at(at_) != '{') return false;
    if (!text_.holds(kVariable, name_begin_ - kVariable.size())) return false;
    const std::string_view block = text_.bytes().substr(at_, kBlockMax);
    text_.add_work(block.size());
    const std::size_t found = block.substr(0, block.find("\n}")).find(kDefault);
    if (found == block.npos) return false;
    const std::size_t sign = text_.run_end(kSpaces, at_ + found + kDefault.size(), kSpacesMax);
    if (text_.at(sign) != '=') return false;
    at_ = text_.run_end(kSpaces, sign + 1, kSpacesMax);
    return is_quote(text_.at(at_));
  }

  /// `requirepass value` of Redis, `machine host login user password value` of netrc.
  bool is_directive() const {
    constexpr std::size_t kBeforeMax = 160;
    if (!kSpaces.holds(before()) || kLineSpaces.holds(text_.at(at_))) return false;
    const std::string_view name = text_.between(name_begin_, name_end_);
    if (name == "requirepass" || name == "masterauth") return true;
    if (name != "password") return false;
    const std::size_t begin = name_begin_ - std::min(name_begin_, kBeforeMax);
    const std::string_view near = text_.between(begin, name_begin_);
    text_.add_work(near.size());
    const std::size_t login = near.rfind("login ");
    if (near.contains("anonymous")) return false;
    return login != near.npos && (near.contains("machine ") || near.contains("default"));
  }

  char before() const { return at_ == 0 ? '\0' : text_.at(at_ - 1); }

  /// `<secret field="…"`, `<f:secret field="…"`: the attribute has another name.
  bool is_tag() const {
    const char c = name_begin_ == 0 ? '\0' : text_.at(name_begin_ - 1);
    return c == '<' || c == ':';
  }

  /// Go and Zig have the type after the name: `apiKey string = "…"`.
  bool skip_type() {
    if (!kSpaces.holds(before()) || is_tag()) return false;
    const std::size_t end = text_.run_end(kType, at_, kTypeMax);
    if (end == at_ || text_.at(end) != '=') return false;
    at_ = end + 1;
    skip(kSpaces, kSpacesMax);
    return is_quote(text_.at(at_));
  }

  /// `b"…"`, `r"…"`, `@"…"`, and a type before an equals sign.
  void skip_string_prefix() {
    if (is_quote(text_.at(at_)) || text_.at(at_) == '\\') return;
    constexpr std::string_view kPrefixes = "bruf@L$F";
    constexpr std::string_view kFormats = "fF$";
    constexpr std::size_t kPrefixMax = 2;
    std::size_t quote = at_;
    while (quote < at_ + kPrefixMax && kPrefixes.contains(text_.at(quote)))
      ++quote;
    if (quote > at_ && is_quote(text_.at(quote))) {
      const std::string_view prefix = text_.between(at_, quote);
      is_formatted_ = prefix.find_first_of(kFormats) != prefix.npos;
      at_ = quote;
      return;
    }
    const std::size_t end = text_.run_end(kType, at_, kTypeMax);
    if (end == at_ || text_.at(end) != '=' || text_.at(end - 1) != ' ') return;
    const std::size_t value = text_.run_end(kSpaces, end + 1, kSpacesMax);
    if (is_quote(text_.at(value))) at_ = value;
  }

  Assignment take(Assignment assigned, std::size_t begin, const Alphabet& alphabet) {
    assigned.value_begin = begin;
    assigned.value_end = text_.run_end(alphabet, begin);
    return assigned;
  }

  ScanText& text_;
  std::size_t name_begin_;
  std::size_t name_end_;
  std::size_t at_;
  bool is_markup_ = false;
  bool is_compared_ = false;
  bool is_listed_ = false;
  bool is_formatted_ = false;
};

/// `"/login?password="+x`: a quote directly after the name of a parameter closes an earlier string.
bool ends_query(ScanText& text, const Assignment& assigned) {
  constexpr std::string_view kBefore = "?&";
  constexpr std::string_view kGoesOn = "+.,);";
  if (!kBefore.contains(text.at(assigned.name_begin - 1))) return false;
  if (assigned.value_begin != assigned.name_end + 2) return false;
  const std::size_t next = text.run_end(kSpaces, assigned.value_begin, kSpacesMax);
  return kGoesOn.contains(text.at(next)) &&
         is_in_string(text, assigned.name_begin, text.at(assigned.value_begin - 1));
}

/// Whether the quote before a value closes the string of its name: `'--password=' . $x`,
/// `"/login?password=" + x`, `label("Password:").click()`. Both quotes are the same and escaped
/// alike, and no value follows.
bool ends_string_of_name(ScanText& text, const Assignment& assigned) {
  if (assigned.quoting != Quoting::quotes || assigned.name_begin == 0) return false;
  const char operation = text.at(assigned.name_end);
  if (operation != '=' && operation != ':') return false;
  const std::size_t opening = assigned.name_begin - 1;
  const std::size_t closing = assigned.value_begin - 1;
  if (ends_query(text, assigned)) return true;
  const auto is_escaped = [&text](std::size_t quote) {
    return quote > 0 && text.at(quote - 1) == '\\';
  };
  if (text.at(opening) != text.at(closing) || is_escaped(opening) != is_escaped(closing)) {
    return false;
  }
  const char next = text.at(assigned.value_begin);
  return !is_letter(next) && !is_digit(next) && !text.opens_piece(opening);
}

}  // namespace

bool is_in_string(ScanText& text, std::size_t place, char quote) {
  constexpr std::size_t kBeforeMax = 256;
  const std::size_t least = place - std::min(place, kBeforeMax);
  bool is_within = false;
  std::size_t at = place;
  for (; at > least && !text.ends_line(at - 1); --at) {
    if (text.at(at - 1) != quote) continue;
    if (text.opens_piece(at - 1)) break;
    is_within = !is_within;
  }
  text.add_work(place - at);
  return is_within;
}

std::optional<Assignment> read_assigned(ScanText& text, std::size_t begin, std::size_t end) {
  // The searched words may include the sign after the name: `pwd=`.
  while (end > begin && !kName.holds(text.at(end - 1)))
    --end;
  const std::size_t name_end = text.run_end(kName, end, kNameMax);
  const std::size_t name_begin = text.run_begin(kName, begin, kNameMax);
  // The last part of a path or host, with its port or version: `/token-refresher:8080`.
  const bool is_path = name_begin > 0 && text.at(name_begin - 1) == '/';
  if (is_path && text.at(name_end) == ':' && !kLineSpaces.holds(text.at(name_end + 1))) {
    return std::nullopt;
  }
  ValueReader reader(text, name_begin, name_end);
  if (!reader.find_value()) return std::nullopt;
  Assignment assigned = reader.read();
  assigned.name_begin = name_begin;
  assigned.name_end = name_end;
  if (ends_string_of_name(text, assigned)) return std::nullopt;
  const bool is_closed = text.holds("</", assigned.value_end);
  if (assigned.quoting == Quoting::markup && !is_closed) return std::nullopt;
  return assigned;
}

}  // namespace bartizan
