// Judging: the whole pipeline with more and more rules, limits, one predicate, and compiling.
#include <benchmark/benchmark.h>

#include "policy/limit/limits.h"
#include "policy/path/path.h"
#include "tests/bench/micro_inputs.h"

namespace bartizan {
namespace {

void judge(benchmark::State& state, Names names) {
  const auto policy =
      compile_policy(bench_config(static_cast<std::size_t>(state.range(0)), names), bench_names());
  BenchCall sample(*policy);
  while (state.KeepRunning()) {
    const Verdict verdict = policy->judge(sample.call);
    if (!std::holds_alternative<Permit>(verdict)) {
      return state.SkipWithError(
          std::string(text(std::get<Denial>(verdict).decision.reason)).c_str());
    }
  }
}

void judge_exact(benchmark::State& state) {
  judge(state, Names::exact);
}

void judge_globs(benchmark::State& state) {
  judge(state, Names::globs);
}

void limits(benchmark::State& state) {
  const Config config = bench_config(10);
  const auto policy = compile_policy(config, bench_names());
  const BenchCall sample(*policy);
  const LimitSet& set = policy->limits();
  LimitTable table;
  auto now = std::chrono::nanoseconds(std::chrono::hours(1));
  while (state.KeepRunning()) {
    const auto draws = set.draws(sample.call, {.session = "a session", .address = "127.0.0.1"});
    if (table.take(set, draws, {}, now).has_value()) return state.SkipWithError("a limit refused");
    table.give_back(set, draws);
    now += std::chrono::microseconds(1);
  }
}

void path(benchmark::State& state) {
  const BenchCall sample(*compile_policy(bench_config(10), bench_names()));
  const std::string_view path = sample.call.message.arguments.find("path").text();
  const PathRules rules = compile_path_rules({.root = "/srv/data"});
  ValueFacts facts{.cwd = "/"};
  while (state.KeepRunning())
    benchmark::DoNotOptimize(judge_path(path, rules, facts));
}

void compile(benchmark::State& state) {
  const Config config = bench_config(static_cast<std::size_t>(state.range(0)));
  const KnownNames names = bench_names();
  while (state.KeepRunning())
    benchmark::DoNotOptimize(compile_policy(config, names));
}

BENCHMARK(judge_exact)->Name("rules_10_ns")->Arg(10);
BENCHMARK(judge_exact)->Name("rules_1k_ns")->Arg(1000);
BENCHMARK(judge_exact)->Name("rules_10k_ns")->Arg(10'000);
BENCHMARK(judge_exact)->Name("rules_100k_ns")->Arg(100'000);
BENCHMARK(judge_globs)->Name("rules_10k_globs_ns")->Arg(10'000);
BENCHMARK(limits)->Name("limits_ns");
BENCHMARK(path)->Name("path_ns");
BENCHMARK(compile)->Name("compile_10k_rules_ms")->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bartizan
