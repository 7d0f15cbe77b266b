#include "schemas/json/canonical_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "schemas/json/json_decimal.h"

namespace bartizan {
namespace {

class CanonicalWriter {
 public:
  explicit CanonicalWriter(NumberForm numbers) : numbers_(numbers) {}

  void leave_out(JsonValue value) { left_out_.push_back(value.range().begin); }

  void write(JsonValue value) {
    switch (value.type()) {
      case JsonType::object:
        return write_members({value.begin(), value.end()});
      case JsonType::array:
        return write_array(value);
      case JsonType::string:
        return append_json_string(out_, value.text());
      case JsonType::number:
        return write_number(value.raw());
      default:
        out_ += value.raw();
    }
  }
  void write_members(std::vector<JsonValue> members) {
    std::erase_if(members, [this](JsonValue member) { return is_left_out(member); });
    std::ranges::sort(members, {}, [](JsonValue member) { return member.key(); });
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      append_json_string(out_, members[i].key());
      out_ += ':';
      write(members[i]);
    }
    out_ += '}';
  }
  std::string take() && { return std::move(out_); }

 private:
  bool is_left_out(JsonValue value) const {
    return !left_out_.empty() &&
           std::ranges::find(left_out_, value.range().begin) != left_out_.end();
  }

  void write_array(JsonValue array) {
    char before = '[';
    for (const JsonValue value : array) {
      if (is_left_out(value)) continue;
      out_ += before;
      write(value);
      before = ',';
    }
    if (before == '[') out_ += '[';
    out_ += ']';
  }

  void write_number(std::string_view token) {
    if (numbers_ == NumberForm::as_spelled) {
      out_ += token;
      return;
    }
    const JsonDecimal decimal(token);
    const bool is_exact = numbers_ == NumberForm::exact || is_long_integer(decimal);
    if (is_exact) return write_decimal(decimal);
    std::array<char, 32> shortest;
    write_decimal(JsonDecimal(as_double(token, shortest)));
  }

  static bool is_long_integer(const JsonDecimal& decimal) {
    constexpr std::int64_t kDigitsMax = 19;
    return decimal.scale() >= 0 && decimal.scale() <= kDigitsMax &&
           static_cast<std::int64_t>(decimal.size()) + decimal.scale() <= kDigitsMax;
  }

  /// The shortest text of the double that most readers take for the number. They read a number that
  /// is too small as zero, and one that is too large as infinite.
  static std::string_view as_double(std::string_view token, std::array<char, 32>& text) {
    double value = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    if (read.ec != std::errc()) {
      if (JsonDecimal(token).magnitude() <= 0) return "0";
      return token.starts_with('-') ? "-1e999" : "1e999";
    }
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
    return std::string_view(text.data(), static_cast<std::size_t>(written.ptr - text.data()));
  }

  /// Writes the significant digits, and the power of ten of the last one.
  void write_decimal(const JsonDecimal& decimal) {
    if (decimal.is_zero()) {
      out_ += '0';
      return;
    }
    if (decimal.is_negative()) out_ += '-';
    for (std::size_t i = 0; i < decimal.size(); ++i)
      out_ += decimal.digit(i);
    if (decimal.scale() == 0) return;
    out_ += 'e';
    out_ += std::to_string(decimal.scale());
  }

  NumberForm numbers_;
  std::vector<std::size_t> left_out_;  ///< The starts of the values that are left out.
  std::string out_;
};

}  // namespace

std::string canonical_json(JsonValue value, NumberForm numbers) {
  if (!value) return {};
  CanonicalWriter writer(numbers);
  writer.write(value);
  return std::move(writer).take();
}

std::string canonical_json_without(JsonValue value, std::span<const std::string> pointers,
                                   NumberForm numbers) {
  if (!value) return {};
  CanonicalWriter writer(numbers);
  for (const std::string& pointer : pointers) {
    if (const JsonValue selected = value.at_pointer(pointer)) writer.leave_out(selected);
  }
  writer.write(value);
  return std::move(writer).take();
}

std::string canonical_object(std::vector<JsonValue> members, NumberForm numbers) {
  CanonicalWriter writer(numbers);
  writer.write_members(std::move(members));
  return std::move(writer).take();
}

}  // namespace bartizan
