#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "schemas/json/json.h"

namespace bartizan {

/// Writes a JSON object, one member after the other. Does not check for duplicate names.
///
/// Cost: that of its text.
class JsonMembers {
 public:
  /// Adds a text, which is escaped.
  JsonMembers& add(std::string_view name, std::string_view text) {
    begin(name);
    append_json_string(text_, text);
    return *this;
  }
  JsonMembers& add(std::string_view name, const char* text) {
    return add(name, std::string_view(text));
  }
  JsonMembers& add(std::string_view name, std::integral auto number) {
    return add_raw(name, std::to_string(number));
  }
  JsonMembers& add(std::string_view name, bool value) {
    return add_raw(name, value ? "true" : "false");
  }
  /// Adds a JSON text unchanged.
  JsonMembers& add_raw(std::string_view name, std::string_view json) {
    begin(name);
    text_ += json;
    return *this;
  }

  /// The whole object.
  std::string text() const& { return text_ + "}"; }
  std::string text() && { return std::move(text_) + "}"; }

 private:
  void begin(std::string_view name) {
    if (text_.size() > 1) text_ += ',';
    append_json_string(text_, name);
    text_ += ':';
  }

  std::string text_ = "{";
};

}  // namespace bartizan
