#pragma once

#include "schemas/schema/json_schema.h"
#include "schemas/schema/schema_dialect.h"
#include "schemas/schema/schema_index.h"

namespace bartizan {

/// Refuses a schema that its dialect's metaschema does not accept: a keyword with a value that
/// means nothing would be a rule that nobody enforces. Where unknown keywords are ignored, a value
/// that means something in another draft is taken.
///
/// Errors: invalid_keyword with the pointer to the value.
/// Source: JSON Schema 2020-12 Core §8.1.1, draft-07 Core §7; MCP 2025-11-25, basic/index, "JSON
///         Schema Usage".
SchemaResult<void> check_validity(JsonValue root, const SchemaDialect& dialect,
                                  SchemaOptions::Unknown unknown);

/// The dialect of a whole document.
///
/// Input:  an index to which no reference has added other documents yet.
/// Errors: unknown_dialect where a part of it names another one than the whole.
SchemaResult<SchemaDialect> find_one_dialect(const SchemaIndex& index);

}  // namespace bartizan
