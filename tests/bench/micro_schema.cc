// Holding arguments against a tool's schema, and compiling one.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "schemas/json_schema.h"
#include "schemas/metaschemas.h"
#include "tests/bench/schema_shapes.h"

namespace bartizan {
namespace {

void accept(benchmark::State& state, const SchemaShape& shape) {
  const auto schema = JsonSchema::compile(shape.schema, metaschemas());
  if (!schema.has_value()) return state.SkipWithError("the schema was refused");
  const Bytes bytes(shape.document);
  JsonDocument document;
  const JsonValue value = document.read(bytes).value();
  while (state.KeepRunning()) {
    if (!schema->accepts(value)) return state.SkipWithError("the document was refused");
  }
}

void compile(benchmark::State& state) {
  const std::string text = schema_of_10_kib();
  while (state.KeepRunning()) {
    if (!JsonSchema::compile(text, metaschemas()).has_value()) {
      return state.SkipWithError("the schema was refused");
    }
  }
}

const int kRegistered = [] {
  for (const SchemaShape& shape : schema_shapes()) {
    const std::string name = "schema_ns_" + std::string(shape.name);
    benchmark::RegisterBenchmark(name.c_str(), accept, shape);
  }
  return 0;
}();

BENCHMARK(compile)->Name("schema_compile_10k_us")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bartizan
