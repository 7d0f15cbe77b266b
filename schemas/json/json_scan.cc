#include "schemas/json/json_scan.h"

#include <algorithm>
#include <string>

#include "schemas/base/ascii.h"
#include "schemas/json/json_number.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kLoneSurrogate = "a lone surrogate, which is half a character";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// A reader whose steps return whether they succeeded. The first that fails leaves the error.
class Scanner {
 public:
  Scanner(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  JsonScan run() {
    if (text_.starts_with(kByteOrderMark)) {
      flawed(ErrorCode::json_encoding, 0, "a byte order mark");
    } else if (document()) {
      skip_blanks();
      if (!at_end()) flawed(ErrorCode::json_trailing, at_);
    }
    return std::move(scan_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_]))
      ++at_;
  }

  bool flawed(ErrorCode code, std::size_t offset, std::string_view what = {}) {
    if (!scan_.flaw) scan_.flaw = JsonFlaw{code, offset, what};
    return false;
  }
  /// A wrong byte is an encoding error if it is not valid UTF-8.
  bool unexpected() {
    const bool is_text = at_end() || utf8_sequence_size(text_, at_) != 0;
    return flawed(is_text ? ErrorCode::json_syntax : ErrorCode::json_encoding, at_);
  }

  /// One value and all that follows, until every container is closed.
  bool document() {
    while (value()) {
      if (awaits_value_) continue;  // A container that was just opened.
      if (!after_value()) return false;
      if (!awaits_value_) return true;
    }
    return false;
  }

  bool value() {
    skip_blanks();
    awaits_value_ = false;
    if (++values_ > limits_.values_max) return flawed(ErrorCode::json_size, at_);
    switch (peek()) {
      case '{':
        return open('}');
      case '[':
        return open(']');
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool open(char closing) {
    if (open_.size() >= limits_.depth_max) return flawed(ErrorCode::json_depth, at_);
    ++at_;
    skip_blanks();
    if (peek() == closing && !at_end()) {
      ++at_;
      return true;
    }
    open_.push_back(closing);
    awaits_value_ = true;
    return closing == ']' || key();
  }

  bool after_value() {
    while (!open_.empty()) {
      skip_blanks();
      if (at_end()) return unexpected();
      if (text_[at_] == ',') {
        ++at_;
        awaits_value_ = true;
        return open_.back() == ']' || key();
      }
      if (text_[at_] != open_.back()) return unexpected();
      ++at_;
      open_.pop_back();
    }
    return true;
  }

  bool key() {
    skip_blanks();
    if (peek() != '"') return unexpected();
    if (!string()) return false;
    skip_blanks();
    if (peek() != ':') return unexpected();
    ++at_;
    return true;
  }

  bool string() {
    ++at_;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        if (!escape()) return false;
        continue;
      }
      const std::size_t size = utf8_sequence_size(text_, at_);
      if (static_cast<unsigned char>(c) < 0x20) {
        return flawed(ErrorCode::json_syntax, at_, "a control character within a string");
      }
      if (size == 0) return unexpected();
      at_ += size;
    }
    return unexpected();
  }

  bool escape() {
    ++at_;
    if (at_end()) return unexpected();
    if (text_[at_] == 'u') return unicode_escape();
    if (std::string_view("\"\\/bfnrt").find(text_[at_]) == std::string_view::npos) {
      return unexpected();
    }
    ++at_;
    return true;
  }

  bool unicode_escape() {
    const std::size_t begin = at_ - 1;
    ++at_;
    const std::optional<std::uint32_t> unit = hex_unit();
    if (!unit) return false;
    if (*unit < 0xD800 || *unit > 0xDFFF) return true;
    if (*unit > 0xDBFF || !text_.substr(at_).starts_with("\\u")) {
      return flawed(ErrorCode::json_encoding, begin, kLoneSurrogate);
    }
    at_ += 2;
    const std::optional<std::uint32_t> low = hex_unit();
    if (!low) return false;
    if (*low < 0xDC00 || *low > 0xDFFF) {
      return flawed(ErrorCode::json_encoding, begin, kLoneSurrogate);
    }
    return true;
  }

  std::optional<std::uint32_t> hex_unit() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (!is_hex(peek())) {
        unexpected();
        return std::nullopt;
      }
      const char c = text_[at_];
      const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    return unit;
  }

  bool word(std::string_view word) {
    const std::string_view rest = text_.substr(at_);
    const auto differs = std::mismatch(word.begin(), word.end(), rest.begin(), rest.end()).first;
    at_ += static_cast<std::size_t>(differs - word.begin());
    return differs == word.end() || unexpected();
  }

  bool number() {
    const std::size_t size = json_number_size(text_.substr(at_));
    if (size == 0) return unexpected();
    const std::string_view token = text_.substr(at_, size);
    if (exceeds_64_bits(token)) {
      const bool keeps_all = limits_.numbers == JsonLimits::Numbers::keep_as_text;
      if (!keeps_all && overflows_double(token)) return flawed(ErrorCode::json_number, at_);
      scan_.beyond_64_bits.push_back(static_cast<std::uint32_t>(at_));
    }
    at_ += size;
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::string open_;           ///< The closing brackets of all open containers, innermost last.
  bool awaits_value_ = false;  ///< Whether a value must come next.
  JsonScan scan_;
};

}  // namespace

JsonScan scan_json(std::string_view text, const JsonLimits& limits) {
  return Scanner(text, limits).run();
}

}  // namespace bartizan
