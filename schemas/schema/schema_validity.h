#pragma once

#include "schemas/schema/json_schema.h"
#include "schemas/schema/schema_dialect.h"
#include "schemas/schema/schema_index.h"

namespace bartizan {

/// Refuses a schema that its dialect's metaschema does not accept. A keyword with a meaningless
/// value would be a rule that is never enforced. If unknown keywords are ignored, values with a
/// meaning in another draft are accepted. A dialect with its own metaschema is not checked.
///
/// Errors: invalid_keyword with the pointer to the value; too_large if the check would cost too
///         much.
/// Source: JSON Schema 2020-12 Core §8.1.1, draft-07 Core §7; MCP 2025-11-25, basic/index, "JSON
///         Schema Usage".
SchemaResult<void> check_validity(JsonValue root, const SchemaDialect& dialect,
                                  SchemaOptions::Unknown unknown);

/// The dialect of a whole document.
///
/// Input:  an index before any reference has added other documents.
/// Errors: unknown_dialect if a part names another dialect than the whole.
SchemaResult<SchemaDialect> find_one_dialect(const SchemaIndex& index);

}  // namespace bartizan
