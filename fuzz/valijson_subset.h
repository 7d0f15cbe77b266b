#pragma once

#include "schemas/json/json.h"

namespace bartizan {

/// Whether valijson can be asked about a draft-07 schema and a value: its answer is right as far as
/// we know, and it does not crash. What is left out has its rows in
/// tests/schemas/schema/json_schema_rows_test.cc; see also fuzz/schema_generator.h.
bool is_for_valijson(JsonValue schema, JsonValue value);

}  // namespace bartizan
