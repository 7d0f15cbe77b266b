#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// A change of one property of an input schema, and of the properties below it.
struct PropertyChange {
  std::string name = {};
  bool is_left_out = false;
  std::vector<PropertyChange> members = {};
};

/// A schema with these changes, in `properties` and in `required`. A property is found where the
/// schema has it under `properties`; what a `$ref` or `allOf` adds stays.
/// Input: `bytes`, which the schema was read from.
std::string changed_schema(JsonValue schema, std::string_view bytes,
                           const std::vector<PropertyChange>& changes);

}  // namespace bartizan
