#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/case_file.h"
#include "policy/check/compile_policy.h"
#include "policy/explain/case_call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// What a policy said of one case.
struct CaseResult {
  const PolicyCase* asked = nullptr;
  CaseAnswer answer = {};
  /// What is not as expected: `decision`, `reason`, `rule`, `pointer`. Empty where all is.
  std::vector<std::string_view> differences = {};
  /// Of a refusal, what nobody has said of the world outside.
  std::vector<FactQuery> missing_facts = {};
  std::string failure = {};  ///< Why it could not be judged, which is no answer at all.
  bool has_passed() const { return differences.empty() && failure.empty(); }
};

/// What became of all cases of a file.
struct CaseResults {
  std::shared_ptr<const Policy> policy;  ///< Owns what decisions point to.
  std::vector<CaseResult> results = {};
  std::set<std::string> matched_rules = {};  ///< Those that matched in any case.
  /// Tools that are called and whose definition nobody has given: see `assume_definition`.
  std::set<std::string> assumed_tools = {};
};

/// Judges each case by the checks of the pipeline, under a policy that has its callers.
///
/// Input:    a configuration that loads; `now` in seconds since 1970, for cases without a time.
/// Lifetime: views the file.
CaseResults judge_cases(const Config& config, const CaseFile& file,
                        const DescribedDefinitions& definitions, std::int64_t now);

}  // namespace bartizan
