#include "schemas/schema/schema_validity.h"

#include <string>
#include <utility>

#include "schemas/base/limits.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

SchemaError read_flaw(const SchemaVerdict& verdict) {
  if (verdict.violations.empty()) {
    return {SchemaFlaw::too_large, "", "too many values to hold against its dialect"};
  }
  const SchemaViolation& first = verdict.violations.front();
  return {SchemaFlaw::invalid_keyword, first.pointer, "expected " + first.expected};
}

}  // namespace

SchemaResult<void> check_validity(JsonValue root, const SchemaDialect& dialect,
                                  SchemaOptions::Unknown unknown) {
  // An operator's metaschema defines what is allowed, and which keywords have no meaning.
  if (dialect.has_own_metaschema) return {};
  const JsonSchema& metaschema = compiled_metaschema(dialect.draft);
  const ValidationOptions options{.steps_max = limits::schema_validity_steps_max,
                                  .violations_max = 1};
  const auto fit = metaschema.fit(root, options);
  if (fit == SchemaFit::fits) return {};
  if (fit == SchemaFit::too_costly) return std::unexpected(read_flaw({}));
  const bool is_lenient = unknown == SchemaOptions::Unknown::ignore;
  if (!is_lenient) return std::unexpected(read_flaw(metaschema.judge(root, options)));
  const SchemaVerdict verdict = compiled_lenient_metaschema().judge(root, options);
  if (verdict.is_valid) return {};
  return std::unexpected(read_flaw(verdict));
}

SchemaResult<SchemaDialect> find_one_dialect(const SchemaIndex& index) {
  const std::uint32_t first = index.root().resource;
  const SchemaDialect dialect = index.resource(first).dialect;
  for (std::uint32_t i = first; i < index.resources(); ++i) {
    if (index.resource(i).dialect == dialect) continue;
    return flawed(SchemaFlaw::unknown_dialect, "", "a part of it names another dialect");
  }
  return dialect;
}

}  // namespace bartizan
