#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include "config/load/case_file.h"
#include "policy/explain/case_call.h"
#include "policy/explain/trace_call.h"

namespace bartizan {

/// A judged call, with all that the decision depends on.
struct ExplainedCall {
  std::unique_ptr<const Config>
      config;  ///< With the callers of the description. The trace points into it.
  std::shared_ptr<const Policy> policy = {};  ///< The trace points into it.
  CaseAnswer answer = {};
  std::int64_t now = 0;  ///< The time of the judgement, in seconds since 1970 UTC.
  CallTrace trace = {};
  bool is_definition_assumed = false;  ///< See `assume_definition`.
};

/// Explains the only call of `file`, a parsed description.
/// Input:  a configuration that loads; `now` is used if the description has no time.
/// Errors: names in the description that the policy does not have, with their places.
std::expected<ExplainedCall, std::vector<ConfigProblem>> explain_call(const Config& config,
                                                                      const CaseFile& file,
                                                                      std::int64_t now);

}  // namespace bartizan
