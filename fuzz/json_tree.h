#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// A JSON value that a generator builds and changes.
struct JsonTree {
  JsonType type = JsonType::null;
  std::string text = {};                ///< A string's value; any other scalar as it is spelled.
  std::vector<std::string> names = {};  ///< Of an object, one for each value.
  std::vector<JsonTree> values = {};

  static JsonTree of(JsonType type, std::string text) { return {type, std::move(text), {}, {}}; }
  static JsonTree object() { return of(JsonType::object, ""); }
  static JsonTree array() { return of(JsonType::array, ""); }
  static JsonTree string(std::string text) { return of(JsonType::string, std::move(text)); }
  static JsonTree number(std::string text) { return of(JsonType::number, std::move(text)); }
  static JsonTree boolean_of(std::size_t choice) {
    return of(JsonType::boolean, choice == 0 ? "true" : "false");
  }

  /// The member of that name, or null.
  const JsonTree* find(std::string_view name) const;
  /// Adds a member; where one has the name already it stays.
  void add(std::string name, JsonTree value);
  void remove(std::size_t index);
  bool operator==(const JsonTree&) const = default;
};

/// The double nearest to a number.
double to_double(const JsonTree& number);
std::string to_json(const JsonTree& tree);

}  // namespace bartizan
