#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// A value, and the name that stands for it in another string.
struct NamedValue {
  enum class Form : std::uint8_t {
    member,  ///< `{"name": "DB_PASSWORD", "value": "…"}`, `{"password": {"value": "…"}}`
    option   ///< `["--password", "…"]`
  } form;
  std::string_view name;
  JsonValue value;
};

/// Finds names that stand beside their values, while the values of a message are visited in order.
/// Of names, those that a secret may have.
///
/// Input: members of one object or elements of one list that follow each other; between a name and
///        its value other members may stand that have nothing within them.
/// Cost:  a few comparisons for each value; none of them is told more than three times.
class NamesBeside {
 public:
  /// Begins with a message.
  void start(JsonValue message);
  /// What a value is named by, or names. Valid until the next call.
  std::span<const NamedValue> visit(JsonValue value);

 private:
  bool is_next(JsonValue value) const;
  void visit_element(JsonValue value);
  void visit_member(JsonValue value);

  std::string_view bytes_;
  std::size_t begin_ = 0;  ///< Where these begin in the message.
  JsonValue last_;         ///< Of the members or elements that are being visited.
  JsonValue option_;
  JsonValue holder_;  ///< The last object, where its own name is one that a secret may have.
  std::vector<JsonValue> names_, values_;
  std::vector<NamedValue> found_;
};

/// Whether a number under such a name may be a secret.
bool may_name_number(std::string_view name);

}  // namespace bartizan
