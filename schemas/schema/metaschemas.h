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

/// The published metaschemas of all dialects.
std::span<const Metaschema> published_metaschemas();

/// The published metaschemas of all dialects, to which a schema may refer. Their text is part of
/// the program, so nothing is fetched.
///
/// Lifetime: that of the process.
/// Threads:  any.
/// Source:   http://json-schema.org/draft-04/schema, draft-06 and draft-07 likewise,
///           https://json-schema.org/draft/2019-09/schema and 2020-12.
const SchemaDocuments& metaschemas();

/// The compiled metaschema of a dialect.
/// Lifetime: that of the process.
/// Threads:  any.
const JsonSchema& compiled_metaschema(SchemaDialect::Draft draft);

/// A metaschema that accepts every keyword value with a meaning in some draft: an array as `items`,
/// `exclusiveMinimum: true`. It is the gateway's own text.
/// Lifetime: that of the process.
/// Threads:  any.
const JsonSchema& compiled_lenient_metaschema();

}  // namespace bartizan
