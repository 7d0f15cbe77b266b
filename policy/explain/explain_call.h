#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include "config/load/case_file.h"
#include "policy/explain/case_call.h"
#include "policy/explain/trace_call.h"

namespace bartizan {

/// A described call, judged, with all that the decision goes by.
struct ExplainedCall {
  std::unique_ptr<const Config> config;       ///< With its callers; what the trace points into.
  std::shared_ptr<const Policy> policy = {};  ///< What the trace points into, too.
  CaseAnswer answer = {};
  std::int64_t now = 0;  ///< At which it was judged, in seconds since 1970 UTC.
  CallTrace trace = {};
  bool is_definition_assumed = false;  ///< See `assume_definition`.
};

/// Explains the only call of `file`, a description that has been read.
/// Input:  a configuration that loads; `now` where the description has no time.
/// Errors: what the description names and the policy does not have, where it stands.
std::expected<ExplainedCall, std::vector<ConfigProblem>> explain_call(const Config& config,
                                                                      const CaseFile& file,
                                                                      std::int64_t now);

}  // namespace bartizan
