#include "policy/explain/explain_call.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bartizan {
std::expected<ExplainedCall, std::vector<ConfigProblem>> explain_call(const Config& config,
                                                                      const CaseFile& file,
                                                                      std::int64_t now) {
  ReadDefinitions given = read_definitions(file);
  std::vector<ConfigProblem> problems = find_case_problems(config, file);
  std::ranges::move(given.problems, std::back_inserter(problems));
  if (!problems.empty()) return std::unexpected(std::move(problems));
  ExplainedCall explained{.config =
                              std::make_unique<const Config>(with_callers(config, file.cases))};
  explained.policy = compile_policy(*explained.config, {});
  const DescribedCall& described = file.cases.front().call;
  Definitions definitions(config, given.tools);
  const auto made = CaseCall::make(described, *explained.policy, definitions.find(described), now);
  if (!made.has_value()) {
    return std::unexpected(
        std::vector<ConfigProblem>{{.where = file.files.front(), .message = made.error().detail}});
  }
  Call& call = (*made)->call();
  explained.now = call.facts.now;
  explained.is_definition_assumed = !definitions.assumed().empty();
  explained.trace = trace_call(*explained.config, *explained.policy, call);
  explained.answer = answer_of(explained.policy->judge(call));
  return explained;
}

}  // namespace bartizan
