// Holding arguments against a tool's schema, and compiling one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"
#include "schemas/schema/schema_pattern.h"
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

/// A pattern, and the letters of its text.
struct Matched {
  std::string_view name, pattern, letters;
};

/// Letters without any order: only such a text meets as many states as there are.
std::string disordered(std::string_view letters, std::size_t size) {
  std::minstd_rand next;
  std::string text;
  while (text.size() < size)
    text += letters[(next() >> 8) % letters.size()];
  return text;
}

/// The last two make RE2 leave its automaton, and keep as many of its threads alive as they can.
constexpr Matched kMatched[] = {
    {"any", "^[\\s\\S]*$", "abcdefghij .\n"},
    {"letters", "^[\\p{L} .]*$", "abcdefghij ."},
    {"counted", "[ab]*a[ab]{200}c", "ab"},
    {"ways", "(?:[ab]?[ab]){400}c", "ab"},
};

/// One iteration is one step, as `match_steps` counts them.
void match(benchmark::State& state, const Matched& matched) {
  constexpr std::size_t kTextBytes = 20'000;
  const auto pattern = compile_pattern(matched.pattern, limits::schema_pattern_bytes_max);
  if (!pattern.has_value()) return state.SkipWithError("the pattern was refused");
  const std::string text = disordered(matched.letters, kTextBytes);
  const auto steps = static_cast<benchmark::IterationCount>(match_steps(*pattern, text.size()));
  while (state.KeepRunningBatch(steps))
    benchmark::DoNotOptimize(holds_match(*pattern, text));
}

const int kRegistered = [] {
  for (const Matched& matched : kMatched) {
    const std::string name = "schema_step_ns_" + std::string(matched.name);
    benchmark::RegisterBenchmark(name.c_str(), match, matched);
  }
  for (const SchemaShape& shape : schema_shapes()) {
    const std::string name = "schema_ns_" + std::string(shape.name);
    benchmark::RegisterBenchmark(name.c_str(), accept, shape);
  }
  return 0;
}();

BENCHMARK(compile)->Name("schema_compile_10k_us")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bartizan
