#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fuzz/require.h"
#include "fuzz/schema_generator.h"
#include "fuzz/valijson_oracle.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

/// What the bytes choose, a draft-07 schema and values near it, valijson judges as we do. Every
/// schema of the generator is a schema.

namespace {

using namespace bartizan;

constexpr int kValuesOfSchema = 4;

void compare(const JsonSchema& ours, const ValijsonSchema& theirs, const std::string& value) {
  const Bytes bytes(value);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  require(root.has_value());
  const std::optional<bool> second = theirs.accepts(value);
  if (second.has_value()) require(ours.accepts(*root) == *second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  FuzzChoices choices = FuzzChoices::from_bytes(std::span(data, size));
  SchemaGenerator generator(choices);
  const JsonTree tree = generator.schema();
  const std::string schema = to_json(tree);
  const auto ours = JsonSchema::compile(schema, metaschemas());
  require(ours.has_value());
  const auto theirs = ValijsonSchema::compile(schema);
  if (!theirs.has_value()) return 0;
  for (int i = 0; i < kValuesOfSchema; ++i)
    compare(*ours, *theirs, to_json(generator.value_near(tree)));
  return 0;
}
