#include "policy/explain/judge_cases.h"

#include <optional>
#include <utility>

#include "policy/explain/trace_rules.h"

namespace bartizan {
namespace {

std::vector<std::string_view> find_differences(const ExpectedAnswer& expected,
                                               const Decision& decision) {
  const bool is_permit = expected.decision == ExpectedAnswer::Decision::permit;
  const auto differs = [](const std::string& wanted, std::string_view have) {
    return !wanted.empty() && wanted != have;
  };
  std::vector<std::string_view> differences;
  if (is_permit != decision.permits()) differences.emplace_back("decision");
  if (differs(expected.reason, text(decision.reason))) differences.emplace_back("reason");
  if (differs(expected.rule, decision.rule_name())) differences.emplace_back("rule");
  if (differs(expected.pointer, decision.pointer)) differences.emplace_back("pointer");
  return differences;
}

}  // namespace

CaseResults judge_cases(const Config& config, const CaseFile& file,
                        const DescribedDefinitions& definitions, std::int64_t now) {
  const Config all = with_callers(config, file.cases);
  const RuleTracer rules(all);
  Definitions known(config, definitions);
  CaseResults results{.policy = compile_policy(all, {})};
  for (const PolicyCase& one : file.cases) {
    CaseResult& result = results.results.emplace_back(CaseResult{.asked = &one});
    const auto made = CaseCall::make(one.call, *results.policy, known.find(one.call), now);
    if (!made.has_value()) {
      result.failure = made.error().detail;
      continue;
    }
    Call& call = (*made)->call();
    for (const RuleAnswer& answer : rules.answers(call)) {
      if (answer.matches) results.matched_rules.insert(answer.rule->name);
    }
    result.missing_facts = results.policy->questions(call);
    result.answer = answer_of(results.policy->judge(call));
    result.differences = find_differences(one.expected, result.answer.decision);
  }
  results.assumed_tools = known.assumed();
  return results;
}

}  // namespace bartizan
