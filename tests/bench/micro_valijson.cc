// The same documents against the same schemas by valijson over RapidJSON: what it is compared with.
// Both only ever see what schema_shapes.cc makes.

#include "config/throwing_valijson.h"

#include <benchmark/benchmark.h>

#include "tests/bench/schema_shapes.h"

namespace bartizan {
namespace {

void accept(benchmark::State& state, const SchemaShape& shape) {
  rapidjson::Document schema_json;
  schema_json.Parse(shape.schema.data(), shape.schema.size());
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::RapidJsonAdapter(schema_json), schema);
  rapidjson::Document document;
  document.Parse(shape.document.data(), shape.document.size());
  const valijson::adapters::RapidJsonAdapter value(document);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  while (state.KeepRunning()) {
    if (!validator.validate(schema, value, nullptr)) {
      return state.SkipWithError("the document was refused");
    }
  }
}

const int kRegistered = [] {
  for (const SchemaShape& shape : schema_shapes()) {
    const std::string name = "schema_valijson_ns_" + std::string(shape.name);
    benchmark::RegisterBenchmark(name.c_str(), accept, shape);
  }
  return 0;
}();

}  // namespace
}  // namespace bartizan
