#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// A value with its name, which is in another string.
struct NamedValue {
  enum class Form : std::uint8_t {
    member,  ///< `{"name": "DB_PASSWORD", "value": "…"}`, `{"password": {"value": "…"}}`
    option   ///< `["--password", "…"]`
  } form;
  std::string_view name;
  JsonValue value;
};

/// Finds names that are adjacent to their values in a message. It is given the values in document
/// order. Only names that a secret may have count.
///
/// Input: members of one object, or elements of one list, without objects or lists between them.
/// Cost:  a few comparisons for each value. A value is reported at most three times.
class NamesBeside {
 public:
  /// Starts a message.
  void start(JsonValue message);
  /// Returns the pairs that this value completes, as name or as value. Valid until the next call.
  std::span<const NamedValue> visit(JsonValue value);

 private:
  bool is_next(JsonValue value) const;
  void visit_element(JsonValue value);
  void visit_member(JsonValue value);

  std::string_view bytes_;
  std::size_t begin_ = 0;  ///< The offset of `bytes_` in the message.
  JsonValue last_;         ///< The last scalar that was visited.
  JsonValue option_;
  JsonValue holder_;  ///< The last named object. Its name counts if a secret may have it.
  std::vector<JsonValue> names_, values_;
  std::vector<NamedValue> found_;
};

/// Whether a number with that name may be a secret.
bool may_name_number(std::string_view name);

}  // namespace bartizan
