#include "config/write_json.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

/// Writes TOML values as JSON. Reports values that JSON does not have.
class JsonWriter {
 public:
  explicit JsonWriter(Problems& problems) : problems_(problems) {}

  /// The depth is bounded by the parser.
  void write(const TomlValue& value) {
    switch (value.type) {
      case Type::boolean:
        out_ += value.boolean ? "true" : "false";
        return;
      case Type::integer:
        out_ += std::to_string(value.integer);
        return;
      case Type::number:
        return write_number(value);
      case Type::text:
        return append_json_string(out_, value.text);
      case Type::date:
      case Type::moment:
        return report(value.where, fmt::format("{} is not a JSON value", type_name(value.type)),
                      "write it as a string");
      case Type::array:
        return write_array(value);
      case Type::table:
        return write_table(value);
    }
  }

  /// The text; empty if a value was reported.
  std::string take() && { return is_json_ ? std::move(out_) : std::string(); }

 private:
  void report(const Position& where, std::string message, std::string hint) {
    is_json_ = false;
    problems_.error(where, std::move(message), std::move(hint));
  }

  /// The shortest text that reads as the same number.
  void write_number(const TomlValue& value) {
    if (std::isfinite(value.number)) {
      out_ += fmt::format("{}", value.number);
    } else {
      report(value.where, "JSON has no number that is infinite or none", "write a finite one");
    }
  }

  void write_array(const TomlValue& array) {
    std::string_view before = "[";
    for (const TomlValue& item : array.items) {
      out_ += std::exchange(before, ",");
      write(item);
    }
    out_ += array.items.empty() ? "[]" : "]";
  }

  void write_table(const TomlValue& table) {
    std::string_view before = "{";
    for (const TomlEntry& entry : table.entries) {
      out_ += std::exchange(before, ",");
      append_json_string(out_, entry.key);
      out_ += ':';
      write(entry.value);
    }
    out_ += table.entries.empty() ? "{}" : "}";
  }

  Problems& problems_;
  std::string out_;
  bool is_json_ = true;
};

}  // namespace

std::string write_json(const TomlValue& value, Problems& problems) {
  JsonWriter writer(problems);
  writer.write(value);
  return std::move(writer).take();
}

}  // namespace bartizan
