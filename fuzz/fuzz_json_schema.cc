#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "fuzz/valijson_oracle.h"
#include "fuzz/valijson_subset.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

/// A byte of options, a schema, a zero byte, a value. Any schema is compiled or refused with its
/// place, any value is judged within the steps that are allowed; the two ways of judging agree;
/// what is told of a value is in the value; a schema that is taken fits its metaschema; and where
/// valijson can be asked, it says the same.

namespace {

using namespace bartizan;

constexpr SchemaOptions kTight{.bytes_max = 4096,
                               .schemas_max = 300,
                               .chain_max = 16,
                               .program_bytes_max = std::size_t{256} << 10,
                               .pattern_bytes_max = std::size_t{64} << 10};

SchemaOptions schema_options(unsigned choice) {
  SchemaOptions options = kTight;
  if ((choice & 1) != 0) options.untranslatable = SchemaOptions::Untranslatable::leave_out;
  return options;
}

ValidationOptions validation_options(unsigned choice) {
  ValidationOptions options{.steps_max = (choice & 2) != 0 ? 100U : 50'000U, .violations_max = 3};
  if ((choice & 4) != 0) options.formats = ValidationOptions::Formats::assert_them;
  if ((choice & 8) != 0) options.unnamed = ValidationOptions::Unnamed::refuse;
  return options;
}

void check_flaw(const SchemaError& error, JsonValue schema) {
  require(!text(error.flaw).empty());
  if (schema && error.flaw != SchemaFlaw::not_json) require(bool(schema.at_pointer(error.pointer)));
}

/// Both ways of judging say the same, and tell of places that are there.
void check_judgement(const JsonSchema& schema, JsonValue value, const ValidationOptions& options) {
  const SchemaVerdict verdict = schema.judge(value, options);
  require(verdict.is_valid == schema.accepts(value, options));
  require(verdict.steps <= options.steps_max);
  require(!verdict.is_valid || !verdict.is_exhausted);
  require(verdict.violations.empty() == verdict.is_valid || verdict.is_exhausted);
  require(verdict.violations.size() <= options.violations_max);
  for (const SchemaViolation& violation : verdict.violations) {
    require(!violation.keyword.empty() && !violation.expected.empty());
    require(bool(value.at_pointer(violation.pointer)));
  }
}

SchemaDialect::Draft draft_of(JsonValue schema) {
  const std::string_view uri = schema.find("$schema").text();
  return uri.empty() ? SchemaDialect::Draft::draft_2020_12
                     : find_dialect(uri, metaschemas()).value_or(SchemaDialect{}).draft;
}

void check_metaschema(JsonValue schema) {
  const SchemaVerdict verdict = compiled_metaschema(draft_of(schema)).judge(schema);
  require(verdict.is_valid || verdict.is_exhausted ||
          compiled_lenient_metaschema().accepts(schema));
}

void compare_with_valijson(const JsonSchema& ours, JsonValue schema, JsonValue value) {
  if (draft_of(schema) != SchemaDialect::Draft::draft_07) return;
  if (!is_for_valijson(schema, value)) return;
  const auto theirs = ValijsonSchema::compile(schema.raw());
  if (!theirs.has_value()) return;
  const std::optional<bool> second = theirs->accepts(value.raw());
  const SchemaVerdict verdict = ours.judge(value);
  if (second.has_value() && !verdict.is_exhausted) require(*second == verdict.is_valid);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 8192) return 0;
  const unsigned choice = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(input.find('\0'), input.size());
  const Bytes schema_bytes(input.substr(0, end));
  const Bytes value_bytes(end < input.size() ? input.substr(end + 1) : "{}");
  JsonDocument schema_document;
  JsonDocument value_document;
  const JsonValue schema = schema_document.read(schema_bytes).value_or(JsonValue());
  const auto compiled =
      JsonSchema::compile(schema_bytes.view(), metaschemas(), schema_options(choice));
  if (!compiled.has_value()) {
    check_flaw(compiled.error(), schema);
    return 0;
  }
  require(bool(schema));
  check_metaschema(schema);
  const Result<JsonValue> value = value_document.read(value_bytes, kResponseLimits);
  if (!value.has_value()) return 0;
  check_judgement(*compiled, *value, validation_options(choice));
  if (compiled->ignored_patterns().empty()) compare_with_valijson(*compiled, schema, *value);
  return 0;
}
