#include "policy/path.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include "policy/percent.h"
#include "schemas/json_text.h"

namespace bartizan {
namespace {

/// Rounds of percent-decoding that a chain of careless programs is credited with.
constexpr int kDecodingRoundsMax = 4;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// `file:`, `php:` and `C:` alike: whoever reads a scheme or a drive there leaves the root.
bool has_scheme(std::string_view path) {
  const auto end = std::ranges::find_if_not(
      path, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
  return end != path.end() && *end == ':' && is_letter(path.front());
}

/// Bytes that no name needs to encode: separators, dots, controls, and lead bytes of the overlong
/// forms in which lax decoders still see a dot or a separator.
bool is_dangerous_escape(unsigned char byte) {
  return byte < 0x20 || byte == 0x7f || byte == '.' || byte == '/' || byte == '\\' ||
         byte == 0xc0 || byte == 0xc1 || byte >= 0xf5;
}

/// `%u002e`, which is no escape of any standard and yet read as one.
bool has_percent_u(std::string_view text) {
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1)) {
    if (i + 5 >= text.size() || (text[i + 1] | 0x20) != 'u') continue;
    if (hex_digit(text[i + 2]) && hex_digit(text[i + 3]) && hex_digit(text[i + 4]) &&
        hex_digit(text[i + 5])) {
      return true;
    }
  }
  return false;
}

/// Three-byte and four-byte forms of characters that have a shorter one.
bool has_overlong_form(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(text[i + 1]);
    if ((lead == 0xe0 && next >= 0x80 && next < 0xa0) ||
        (lead == 0xf0 && next >= 0x80 && next < 0x90)) {
      return true;
    }
  }
  return false;
}

/// One round of percent-decoding; empty once it would produce something dangerous.
std::optional<std::string> decoded_once(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? escaped_byte(text, i) : std::nullopt;
    if (!byte) {
      out += text[i];
      continue;
    }
    if (is_dangerous_escape(*byte)) return std::nullopt;
    out += static_cast<char>(*byte);
    i += 2;
  }
  return out;
}

bool has_dangerous_escapes(std::string_view path) {
  if (path.find('%') == std::string_view::npos) return false;
  std::string text(path);
  for (int round = 0; round < kDecodingRoundsMax; ++round) {
    if (has_percent_u(text)) return true;
    std::optional<std::string> next = decoded_once(text);
    if (!next || has_overlong_form(*next)) return true;
    if (*next == text) return false;
    text = std::move(*next);
  }
  return true;
}

/// Characters that a program which normalises by compatibility, or Windows' best fit, turns into a
/// dot, a separator, or a text with one. Source: Unicode 15.0, NFKC decompositions.
constexpr std::array<std::int32_t, 16> kLookAlikes{0x2024, 0x2025, 0x2044, 0x2100, 0x2101, 0x2105,
                                                   0x2106, 0x2215, 0x2216, 0x29f5, 0x29f8, 0xfe52,
                                                   0xfe68, 0xff0e, 0xff0f, 0xff3c};

/// Characters without a shape of their own, which some file systems drop and people do not see.
/// The joiners stay: words of several scripts are misspelled without them.
bool is_invisible(std::int32_t character) {
  constexpr std::int32_t kZeroWidthNonJoiner = 0x200c;
  constexpr std::int32_t kZeroWidthJoiner = 0x200d;
  if (character == kZeroWidthNonJoiner || character == kZeroWidthJoiner) return false;
  const auto category = u_charType(character);
  return category == U_CONTROL_CHAR || category == U_FORMAT_CHAR || category == U_LINE_SEPARATOR ||
         category == U_PARAGRAPH_SEPARATOR;
}

bool is_refused_character(std::int32_t character) {
  return std::ranges::binary_search(kLookAlikes, character) || is_invisible(character);
}

std::int32_t code_of(Utf8Character character) {
  return static_cast<std::int32_t>(character.value);
}

/// Input: valid UTF-8, not empty.
std::int32_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while ((text[at] & 0xc0) == 0x80)
    --at;
  return code_of(read_utf8(text.substr(at)));
}

bool is_nfc(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
  if (U_FAILURE(error)) return false;
  const auto size = static_cast<std::int32_t>(text.size());
  const bool normal = nfc->isNormalizedUTF8(icu::StringPiece(text.data(), size), error);
  return U_SUCCESS(error) && normal;
}

bool is_plain_unicode(std::string_view text) {
  if (is_ascii(text)) return true;
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return false;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const Utf8Character character = read_utf8(rest);
    if (character.size == 0 || is_refused_character(code_of(character))) return false;
    rest.remove_prefix(character.size);
  }
  return is_nfc(text);
}

bool is_plain_ascii(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f && c != '\\';
}

/// Longer names exist on no file system; a program that cuts them off reads another one.
constexpr std::size_t kNameBytesMax = 255;

/// Dots that mean more than they say somewhere: `...` above a file climbs two directories in old
/// shells, and `..;` is `..` to servers that cut parameters off. A file may be called `...`.
bool has_odd_dots(std::string_view component, std::string_view behind) {
  const std::size_t dots = std::min(component.find_first_not_of('.'), component.size());
  if (dots == component.size()) return dots > 3 || (dots == 3 && !behind.empty());
  return dots > 0 && component[dots] == ';';
}

/// The components of a path, one after another, empty ones left out.
class Components {
 public:
  explicit Components(std::string_view path) : rest_(path) {}
  std::optional<std::string_view> next() {
    const std::size_t begin = rest_.find_first_not_of('/');
    if (begin == std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(begin);
    const std::string_view component = rest_.substr(0, rest_.find('/'));
    rest_.remove_prefix(component.size());
    return component;
  }
  /// What is left behind the last component, its slash included.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool has_odd_component(std::string_view path) {
  Components components(path);
  while (const auto component = components.next()) {
    if (component->size() > kNameBytesMax) return true;
    if (has_odd_dots(*component, components.rest())) return true;
  }
  return false;
}

/// Where a walk through the tree stands, seen from the root that must contain it: how much of the
/// root's own path it has come down, and how far it strayed from there. Needs no memory.
class Walk {
 public:
  /// `root` has no slash at its end.
  explicit Walk(std::string_view root) : root_(root) {}

  void go(std::string_view path) {
    Components components(path);
    while (const auto component = components.next())
      step(*component);
  }
  bool is_inside() const { return matched_ == root_.size(); }

 private:
  void step(std::string_view component) {
    if (component == ".") return;
    if (component == "..") return climb();
    const bool on_the_way = beyond_ == 0 && !is_inside() && next_of_root() == component;
    if (on_the_way) {
      matched_ += 1 + component.size();
    } else {
      ++beyond_;
    }
  }
  void climb() {
    if (beyond_ > 0) {
      --beyond_;
    } else if (matched_ > 0) {
      matched_ = root_.rfind('/', matched_ - 1);
    }
  }
  std::string_view next_of_root() const {
    const std::string_view rest = root_.substr(matched_ + 1);
    return rest.substr(0, rest.find('/'));
  }

  std::string_view root_;
  std::size_t matched_ = 0;  ///< Bytes of `root_`, up to the end of a component.
  std::size_t beyond_ = 0;   ///< Components below the root, or beside the way to it.
};

/// What programs take off or put in before they open a path: blanks at its ends, quotes around it,
/// a home directory or a variable in front. Input: valid UTF-8, not empty.
bool is_rewritten_by_some(std::string_view path) {
  if (std::string_view("~$\"'`").contains(path.front())) return true;
  return u_isUWhiteSpace(code_of(read_utf8(path))) || u_isUWhiteSpace(last_character(path));
}

bool is_malformed(std::string_view path) {
  return path.empty() || !std::ranges::all_of(path, is_plain_ascii) || has_scheme(path) ||
         has_odd_component(path) || has_dangerous_escapes(path) || !is_plain_unicode(path) ||
         is_rewritten_by_some(path);
}

}  // namespace

Decision judge_path(std::string_view path, std::string_view root, std::string_view cwd) {
  if (is_malformed(path)) return Decision::deny(Reason::path_malformed);
  const bool is_relative = path.front() != '/';
  if (is_relative && !cwd.starts_with('/')) return Decision::deny(Reason::path_relative);
  if (!root.starts_with('/')) return Decision::deny(Reason::path_outside_root);
  while (root.ends_with('/'))
    root.remove_suffix(1);
  Walk walk(root);
  if (is_relative) walk.go(cwd);
  walk.go(path);
  if (!walk.is_inside()) return Decision::deny(Reason::path_outside_root);
  return Decision::pass();
}

}  // namespace bartizan
