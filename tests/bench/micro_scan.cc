// Searching texts for secrets: clean ones, one in which something is found, and compiling.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "policy/detect/scanner.h"
#include "tests/bench/micro_inputs.h"

namespace bartizan {
namespace {

/// Records of JSON, with ids and times in them: the dearest of what is clean.
std::string records(std::size_t size) {
  std::minstd_rand next;
  std::string text;
  while (text.size() < size) {
    text += R"({"id":")" + std::to_string(next()) + R"(-4a","at":"2026-01-02T03:04:05Z","name":")" +
            bench_words(12) + R"(","count":)" + std::to_string(next() % 1000) + "},\n";
  }
  text.resize(size);
  return text;
}

/// What rules about these detectors look for.
Result<std::shared_ptr<const ScanDatabase>> database_for(std::vector<std::string> detectors) {
  Config config;
  config.redactions["bench"] = {.name = "bench", .detectors = std::move(detectors)};
  return compile_scan_database(config);
}

void scan(benchmark::State& state, const std::string& text, std::size_t wanted,
          const char* family = "secrets") {
  const auto database = database_for({family});
  if (!database.has_value()) return state.SkipWithError("the database did not compile");
  Scanner scanner(*database);
  while (state.KeepRunning()) {
    if (scanner.scan(text).size() != wanted) return state.SkipWithError("found something else");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

constexpr std::size_t kKib = 1024;

void scan_words(benchmark::State& state) {
  scan(state, bench_words(static_cast<std::size_t>(state.range(0)) * kKib), 0);
}

void scan_records(benchmark::State& state) {
  scan(state, records(static_cast<std::size_t>(state.range(0)) * kKib), 0);
}

void scan_personal(benchmark::State& state) {
  scan(state, bench_words(static_cast<std::size_t>(state.range(0)) * kKib), 0, "pii");
}

void scan_personal_records(benchmark::State& state) {
  scan(state, records(static_cast<std::size_t>(state.range(0)) * kKib), 0, "pii");
}

void scan_found(benchmark::State& state) {
  std::string text = bench_words(kKib);
  text.replace(text.size() / 2, 28, " Password=q7Rt1x2Lm9w4Kd8Zs;");
  scan(state, text, 1);
}

void compile(benchmark::State& state) {
  while (state.KeepRunning())
    benchmark::DoNotOptimize(compile_scan_database());
}

/// How much memory it is, however long it takes.
void measure_database(benchmark::State& state) {
  const auto database = compile_scan_database();
  if (!database.has_value()) return state.SkipWithError("the database did not compile");
  std::size_t bytes = 0;
  while (state.KeepRunning())
    benchmark::DoNotOptimize(bytes = (*database)->bytes());
  state.counters["kib"] = static_cast<double>(bytes) / kKib;
}

BENCHMARK(scan_words)->Name("scan_gb_s_1k")->Arg(1);
BENCHMARK(scan_words)->Name("scan_gb_s_8k")->Arg(8);
BENCHMARK(scan_words)->Name("scan_gb_s_64k")->Arg(64);
BENCHMARK(scan_records)->Name("scan_records_gb_s_64k")->Arg(64);
BENCHMARK(scan_personal)->Name("scan_personal_gb_s_64k")->Arg(64);
BENCHMARK(scan_personal_records)->Name("scan_personal_records_gb_s_64k")->Arg(64);
BENCHMARK(scan_found)->Name("scan_found_1k_ns");
BENCHMARK(compile)->Name("scan_compile_ms")->Unit(benchmark::kMillisecond);
BENCHMARK(measure_database)->Name("scan_database_kib");

}  // namespace
}  // namespace bartizan
