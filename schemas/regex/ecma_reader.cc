#include "schemas/regex/ecma_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"
#include "schemas/regex/ecma_property.h"

namespace bartizan {
namespace {

/// White space and line ends of ECMA 262. RE2's `\s` only has some ASCII ones.
constexpr std::string_view kSpaces =
    R"(\t\n\x0b\x0c\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNotSpaces =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
/// RE2 has no empty class.
constexpr std::string_view kNothing = R"([^\x{0}-\x{10ffff}])";
constexpr std::string_view kAnything = "(?s:.)";

/// Longer ones would not fit a translated pattern.
constexpr std::size_t kClassBytesMax = std::size_t{256} << 10;

constexpr char32_t kCodePointMax = 0x10ffff;
constexpr char32_t kHighSurrogates = 0xd800;
constexpr char32_t kLowSurrogates = 0xdc00;
constexpr char32_t kSurrogatesEnd = 0xe000;

/// Characters that may follow a backslash with the flag `u`.
bool is_syntax(char c) {
  return std::string_view("^$\\.*+?()[]{}|/").contains(c);
}

EcmaCharacters one(char32_t character) {
  return {.single = character, .members = re2_character(character)};
}
EcmaCharacters several(std::string_view members) {
  return {.single = std::nullopt, .members = std::string(members)};
}
std::unexpected<std::string_view> wrong(std::string_view what) {
  return std::unexpected(what);
}

}  // namespace

std::string re2_character(char32_t character) {
  if (character < 0x80 &&
      (is_digit(static_cast<char>(character)) || is_letter(static_cast<char>(character)))) {
    return {static_cast<char>(character)};
  }
  constexpr int kHex = 16;
  std::array<char, 8> digits{};
  char* const begin = digits.data();
  const auto value = static_cast<std::uint32_t>(character);
  char* const end = std::to_chars(begin, begin + digits.size(), value, kHex).ptr;
  return "\\x{" + std::string(begin, end) + "}";
}

std::string re2_range(char32_t first, char32_t last) {
  if (first == last) return re2_character(first);
  return re2_character(first) + "-" + re2_character(last);
}

bool EcmaReader::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

EcmaResult<char32_t> EcmaReader::take_character() {
  const Utf8Character next = read_utf8(rest_);
  if (next.size == 0) return wrong("not UTF-8");
  rest_.remove_prefix(next.size);
  return next.value;
}

// --- Escapes ------------------------------------------------------------------------------------

EcmaResult<EcmaCharacters> EcmaReader::take_escape() {
  if (rest_.empty()) return wrong("a back-slash at the end");
  const char c = rest_.front();
  if (!is_letter(c) && c != '0') return take_identity();
  rest_.remove_prefix(1);
  switch (c) {
    case 'd':
      return several("\\d");
    case 'D':
      return several("\\D");
    case 'w':
      return several("\\w");
    case 'W':
      return several("\\W");
    case 's':
      return several(kSpaces);
    case 'S':
      return several(kNotSpaces);
    case 't':
      return one(U'\t');
    case 'n':
      return one(U'\n');
    case 'v':
      return one(U'\v');
    case 'f':
      return one(U'\f');
    case 'r':
      return one(U'\r');
    case '0':
      if (!rest_.empty() && is_digit(rest_.front())) return wrong("an octal escape");
      return one(U'\0');
    case 'c':
      return take_control();
    case 'p':
    case 'P':
      return take_property(c);
    case 'x':
      if (const auto value = take_hex(2)) return one(*value);
      return wrong("an escape with too few digits");
    case 'u':
      if (const auto value = take_unicode()) return one(*value);
      return wrong("an escape that is not a character");
    default:
      return wrong("an escape that is none");
  }
}

/// A character that a backslash makes literal. With the flag `u` only some may be escaped. The
/// others, except digits, have no second meaning.
EcmaResult<EcmaCharacters> EcmaReader::take_identity() {
  const char c = rest_.front();
  if (is_digit(c)) return wrong("an octal escape");
  if (!is_syntax(c)) doubt();
  return take_itself();
}

EcmaResult<EcmaCharacters> EcmaReader::take_itself() {
  const EcmaResult<char32_t> character = take_character();
  if (!character) return wrong(character.error());
  return one(*character);
}

EcmaResult<EcmaCharacters> EcmaReader::take_control() {
  if (rest_.empty() || !is_letter(rest_.front())) {
    return wrong("a control escape without a letter");
  }
  constexpr char32_t kControls = 32;
  const char32_t letter = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  return one(letter % kControls);
}

EcmaResult<EcmaCharacters> EcmaReader::take_property(char sign) {
  const std::size_t end = rest_.find('}');
  if (!rest_.starts_with('{') || end == std::string_view::npos) {
    return wrong("a property without a name");
  }
  if (property_bytes_ > kClassBytesMax) {
    // The pattern is refused for its length in any case, so later names are not looked up.
    rest_.remove_prefix(end + 1);
    return several("");
  }
  const PropertySide side = sign == 'p' ? PropertySide::within : PropertySide::outside;
  auto members = find_property_members(rest_.substr(1, end - 1), side);
  if (!members.has_value()) return wrong("a Unicode property that there is not");
  rest_.remove_prefix(end + 1);
  property_bytes_ += members->size();
  return EcmaCharacters{.single = std::nullopt, .members = *std::move(members)};
}

std::optional<char32_t> EcmaReader::take_hex(std::size_t digits) {
  if (digits == 0 || rest_.size() < digits) return std::nullopt;
  if (!std::ranges::all_of(rest_.substr(0, digits), is_hex)) return std::nullopt;
  constexpr int kHex = 16;
  std::uint32_t value = 0;
  const auto read = std::from_chars(rest_.data(), rest_.data() + digits, value, kHex);
  if (read.ec != std::errc()) return std::nullopt;
  rest_.remove_prefix(digits);
  return static_cast<char32_t>(value);
}

/// Reads after `\u`: four digits, twice four for a pair of surrogates, or any number in braces.
/// Half a pair is a character that no text has.
EcmaResult<char32_t> EcmaReader::take_unicode() {
  constexpr std::string_view kNone = "an escape that is not a character";
  constexpr std::size_t kDigits = 4;
  if (take("{")) {
    const auto value = take_hex(std::min(rest_.find('}'), rest_.size()));
    if (!value.has_value() || *value > kCodePointMax || !take("}")) return wrong(kNone);
    return *value;
  }
  const auto high = take_hex(kDigits);
  if (!high.has_value()) return wrong(kNone);
  if (*high < kHighSurrogates || *high >= kLowSurrogates) return *high;
  const std::string_view behind = rest_;
  const auto low = take("\\u") ? take_hex(kDigits) : std::nullopt;
  if (low.has_value() && *low >= kLowSurrogates && *low < kSurrogatesEnd) {
    constexpr char32_t kBits = 10;
    constexpr char32_t kPairs = 0x10000;
    return kPairs + ((*high - kHighSurrogates) << kBits) + (*low - kLowSurrogates);
  }
  rest_ = behind;
  return *high;
}

EcmaResult<std::u32string> EcmaReader::take_name() {
  constexpr std::string_view kNone = "a group's name that is none";
  std::u32string name;
  while (!take(">")) {
    const EcmaResult<char32_t> character = take("\\u") ? take_unicode() : take_character();
    if (!character) return wrong(kNone);
    const bool fits =
        name.empty() ? begins_identifier(*character) : continues_identifier(*character);
    if (!fits) return wrong(kNone);
    name += *character;
  }
  if (name.empty()) return wrong(kNone);
  return name;
}

// --- Classes ------------------------------------------------------------------------------------

EcmaResult<std::string> EcmaReader::take_class() {
  const bool is_negated = take("^");
  std::string members;
  while (!take("]")) {
    if (rest_.empty()) return wrong("a class does not end");
    const EcmaResult<std::string> more = take_members();
    if (!more) return wrong(more.error());
    // A longer class is refused for its length, and only read further for its errors.
    if (members.size() <= kClassBytesMax) members += *more;
  }
  if (members.empty()) return std::string(is_negated ? kAnything : kNothing);
  return (is_negated ? "[^" : "[") + members + "]";
}

/// One member, or a range of them.
EcmaResult<std::string> EcmaReader::take_members() {
  const EcmaResult<EcmaCharacters> first = take_member();
  if (!first) return wrong(first.error());
  if (!rest_.starts_with('-') || rest_.starts_with("-]") || rest_ == "-") return first->members;
  rest_.remove_prefix(1);
  const EcmaResult<EcmaCharacters> last = take_member();
  if (!last) return wrong(last.error());
  if (!first->single.has_value() || !last->single.has_value()) {
    doubt();
    return first->members + "\\-" + last->members;
  }
  if (*first->single > *last->single) return wrong("a range from more to less");
  return re2_range(*first->single, *last->single);
}

EcmaResult<EcmaCharacters> EcmaReader::take_member() {
  if (!take("\\")) return take_itself();
  if (take("b")) return one(U'\b');
  if (take("-")) return one(U'-');
  return take_escape();
}

}  // namespace bartizan
