#pragma once

#include <span>
#include <string_view>

#include "schemas/schema/json_schema.h"
#include "schemas/schema/schema_dialect.h"
#include "schemas/schema/schema_documents.h"

namespace bartizan {

/// A published metaschema: its URI and its text.
struct Metaschema {
  std::string_view uri, text;
};

/// Those of all dialects, as they are published.
std::span<const Metaschema> published_metaschemas();

/// The published metaschemas of all dialects, to which a schema may refer. Fetched from nowhere:
/// their text is part of the program.
///
/// Lifetime: that of the process. Threads: any.
/// Source:   http://json-schema.org/draft-04/schema, draft-06 and draft-07 likewise,
///           https://json-schema.org/draft/2019-09/schema and 2020-12.
const SchemaDocuments& metaschemas();

/// The metaschema of a dialect, compiled. Lifetime: that of the process. Threads: any.
const JsonSchema& compiled_metaschema(SchemaDialect::Draft draft);

/// What any keyword may have for a value that means something, whichever draft first had it: an
/// array as `items`, `exclusiveMinimum: true`. No text of anybody's but ours.
/// Lifetime: that of the process. Threads: any.
const JsonSchema& compiled_lenient_metaschema();

}  // namespace bartizan
