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

/// Those of both dialects, as they are published.
std::span<const Metaschema> published_metaschemas();

/// The published metaschemas of both dialects, to which a schema may refer. Fetched from nowhere:
/// their text is part of the program.
///
/// Lifetime: that of the process. Threads: any.
/// Source:   https://json-schema.org/draft-07/schema, https://json-schema.org/draft/2020-12/schema.
const SchemaDocuments& metaschemas();

/// The metaschema of a dialect, compiled. Lifetime and threads as above.
const JsonSchema& compiled_metaschema(SchemaDialect::Draft draft);

}  // namespace bartizan
