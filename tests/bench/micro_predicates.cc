// Predicates on arguments: each kind on one ordinary value, all of them on the values of one call,
// and rules with conditions beside rules without.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/predicate/value_predicate.h"
#include "tests/bench/micro_inputs.h"

namespace bartizan {
namespace {

struct Asked {
  std::string_view name;
  Predicate predicate;
  std::string_view value;
};

const std::map<std::string, PathConfig, std::less<>>& paths() {
  static const std::map<std::string, PathConfig, std::less<>> paths{
      {"data", {.name = "data", .root = "/srv/data", .where = {}}}};
  return paths;
}

/// What a policy for files, a database and a shell asks, and calls that a user would make.
const std::vector<Asked>& asked() {
  static const std::vector<Asked> asked{
      {"path", PathPredicate{"data"}, R"("/srv/data/reports/2026/q3.md")"},
      {"number", NumberPredicate{"1", "10000"}, "250"},
      {"one_of", OneOfPredicate{{R"("name")", R"("size")"}}, R"("size")"},
      {"text", TextPredicate{.max_length = 256}, R"("quarterly report")"},
      {"url", UrlPredicate{.form = {.hosts = {"*.example.com"}}},
       R"("https://docs.example.com/a/b?c=d")"},
      {"sql",
       SqlPredicate{.form = {.dialect = SqlDialect::sqlite, .tables = {"processes", "users"}}},
       R"("SELECT name, pid FROM processes WHERE uid = 0 ORDER BY pid LIMIT 10")"},
      {"command", CommandPredicate{.form = {.programs = {"ls", "git"}}},
       R"("git log --oneline -n 20")"}};
  return asked;
}

/// A value, and what judges it.
struct Prepared {
  std::shared_ptr<const ValuePredicate> predicate;
  Bytes bytes;
  JsonDocument document;
  JsonValue value;

  explicit Prepared(const Asked& one)
      : predicate(compile_predicate(one.predicate, paths())), bytes(one.value) {
    value = document.read(bytes).value();
  }
  Reason judge() const {
    ValueFacts facts{.cwd = "/"};
    return judge_value(*predicate, value, facts);
  }
};

void predicate(benchmark::State& state, std::string_view name) {
  for (const Asked& one : asked()) {
    if (one.name != name) continue;
    const Prepared prepared(one);
    if (prepared.judge() != Reason::none) return state.SkipWithError("refused");
    while (state.KeepRunning())
      benchmark::DoNotOptimize(prepared.judge());
  }
}

/// The four that a call of a file server has.
void of_a_call(benchmark::State& state) {
  std::vector<std::unique_ptr<Prepared>> all;
  for (const Asked& one : asked()) {
    if (all.size() < 4) all.push_back(std::make_unique<Prepared>(one));
  }
  while (state.KeepRunning()) {
    for (const auto& one : all)
      benchmark::DoNotOptimize(one->judge());
  }
}

void conditional_rules(benchmark::State& state) {
  Config config = bench_config(static_cast<std::size_t>(state.range(0)));
  for (auto& [name, rule] : config.rules)
    rule.when.facts.push_back({.fact = TransportCondition{{Transport::http}}});
  const auto policy = compile_policy(config, bench_names());
  BenchCall sample(*policy);
  sample.call.facts.transport = Transport::http;
  while (state.KeepRunning()) {
    if (!std::holds_alternative<Permit>(policy->judge(sample.call))) {
      return state.SkipWithError("refused");
    }
  }
}

BENCHMARK_CAPTURE(predicate, number, "number")->Name("predicate_ns_number");
BENCHMARK_CAPTURE(predicate, one_of, "one_of")->Name("predicate_ns_one_of");
BENCHMARK_CAPTURE(predicate, text, "text")->Name("predicate_ns_text");
BENCHMARK_CAPTURE(predicate, path, "path")->Name("predicate_ns_path");
BENCHMARK_CAPTURE(predicate, url, "url")->Name("predicate_ns_url");
BENCHMARK_CAPTURE(predicate, sql, "sql")->Name("predicate_ns_sql");
BENCHMARK_CAPTURE(predicate, command, "command")->Name("predicate_ns_command");
BENCHMARK(of_a_call)->Name("predicates_of_a_call_ns");
BENCHMARK(conditional_rules)->Name("rules_10k_conditional_ns")->Arg(10'000);

}  // namespace
}  // namespace bartizan
