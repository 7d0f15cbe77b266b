#pragma once

#include <functional>
#include <string>

#include "gateway/review/command_output.h"
#include "gateway/review/report_problems.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {

/// Options of `bartizan diff`: two configurations.
struct DiffOptions {
  std::string older;
  std::string newer;
  ReportFormat report = ReportFormat::plain;  ///< Or `markdown`, `github`.
  /// Progress of the comparison; may be empty.
  std::function<void(const DiffProgress&)> progress = {};
};

/// `bartizan diff OLD NEW`: what each role may do under only one of the policies, each with an
/// example call. Starts no server and reads no secret. Returns kExitDone if nothing is gained and
/// the comparison is complete.
int diff_configurations(const DiffOptions& options, const CommandOutput& output);

}  // namespace bartizan
