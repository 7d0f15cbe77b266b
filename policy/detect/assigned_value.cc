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
      : text_(text), name_begin_(name_begin), at_(name_end) {}

  /// Moves to where the value begins. False: nothing is assigned here.
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
      return is_quote(text_.at(at_));
    }
    if (is_option() || is_sql()) return true;
    return skip_type();
  }

  Assignment read() {
    Assignment assigned{.name_begin = name_begin_,
                        .name_end = 0,
                        .value_begin = at_,
                        .value_end = at_,
                        .quoting = Quoting::quotes};
    skip_string_prefix();
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

  /// What closes the name: quotes, a bracket of an index.
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

  bool skip_operator() {
    const std::size_t end = text_.run_end(kOperator, at_, 3);
    if (end == at_) return false;
    is_markup_ = text_.at(at_) == '>';
    at_ = end;
    return true;
  }

  /// `name: API_KEY`, and the value under it or beside it.
  bool skip_value_key() {
    constexpr std::string_view kValue = "value";
    std::size_t at = at_;
    if (text_.at(at) == ',') ++at;
    at = text_.run_end(kLineSpaces, at, 2 * kSpacesMax);
    if (at == at_ && !is_quote(text_.at(at))) return false;
    if (is_quote(text_.at(at))) ++at;
    if (!text_.holds(kValue, at) && !text_.holds("Value", at)) return false;
    at += kValue.size();
    if (is_quote(text_.at(at))) ++at;
    at = text_.run_end(kSpaces, at, kSpacesMax);
    if (text_.at(at) != ':' && text_.at(at) != '=') return false;
    at_ = text_.run_end(kSpaces, at + 1, kSpacesMax);
    return true;
  }

  /// `--password value`.
  bool is_option() const { return text_.holds("--", name_begin_) && kSpaces.holds(before()); }

  /// `IDENTIFIED BY 'value'`, `PASSWORD 'value'`.
  bool is_sql() const { return kSpaces.holds(before()) && text_.at(at_) == '\''; }

  char before() const { return at_ == 0 ? '\0' : text_.at(at_ - 1); }

  /// Go and Zig write the type behind the name: `apiKey string = "…"`.
  bool skip_type() {
    if (!kSpaces.holds(before())) return false;
    const std::size_t end = text_.run_end(kType, at_, kTypeMax);
    if (end == at_ || text_.at(end) != '=') return false;
    at_ = end + 1;
    skip(kSpaces, kSpacesMax);
    return is_quote(text_.at(at_));
  }

  /// `b"…"`, `r"…"`, `@"…"`, and a type before an equals sign.
  void skip_string_prefix() {
    if (is_quote(text_.at(at_)) || text_.at(at_) == '\\') return;
    constexpr std::string_view kPrefixes = "bruf@L";
    if (kPrefixes.contains(text_.at(at_)) && is_quote(text_.at(at_ + 1))) {
      ++at_;
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
  std::size_t at_;
  bool is_markup_ = false;
};

}  // namespace

std::optional<Assignment> read_assigned(ScanText& text, std::size_t begin, std::size_t end) {
  // The words that are searched for may hold what follows the name: `pwd=`.
  while (end > begin && !kName.holds(text.at(end - 1)))
    --end;
  const std::size_t name_end = text.run_end(kName, end, kNameMax);
  const std::size_t name_begin = text.run_begin(kName, begin, kNameMax);
  ValueReader reader(text, name_begin, name_end);
  if (!reader.find_value()) return std::nullopt;
  Assignment assigned = reader.read();
  const bool is_closed = text.at(assigned.value_end) == '<';
  if (assigned.quoting == Quoting::markup && !is_closed) return std::nullopt;
  assigned.name_begin = name_begin;
  assigned.name_end = name_end;
  return assigned;
}

}  // namespace bartizan
