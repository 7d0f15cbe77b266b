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

/// The answer of a policy to one case.
struct CaseResult {
  const PolicyCase* asked = nullptr;
  CaseAnswer answer = {};
  /// The parts that differ from the expected answer: `decision`, `reason`, `rule`, `pointer`. Empty
  /// if all are as expected.
  std::vector<std::string_view> differences = {};
  /// For a refusal, the facts about the disk and DNS that the case does not give.
  std::vector<FactQuery> missing_facts = {};
  std::string failure = {};  ///< Why the case could not be judged. There is no answer then.
  bool has_passed() const { return differences.empty() && failure.empty(); }
};

/// The results of all cases of a file.
struct CaseResults {
  std::shared_ptr<const Policy> policy;  ///< Owns the objects that decisions point to.
  std::vector<CaseResult> results = {};
  std::set<std::string> matched_rules = {};  ///< The rules that matched in any case.
  /// The called tools without a given definition; see `assume_definition`.
  std::set<std::string> assumed_tools = {};
};

/// Judges each case by the checks of the pipeline, under a policy that has its callers.
///
/// Input:    a configuration that loads; `now` in seconds since 1970, for cases without a time.
/// Lifetime: views the file.
CaseResults judge_cases(const Config& config, const CaseFile& file,
                        const DescribedDefinitions& definitions, std::int64_t now);

}  // namespace bartizan
