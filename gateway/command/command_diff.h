#pragma once

#include <functional>
#include <string>

#include "gateway/review/command_output.h"
#include "gateway/review/report_problems.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {

/// What `bartizan diff` compares: two configurations.
struct DiffOptions {
  std::string older;
  std::string newer;
  ReportFormat report = ReportFormat::plain;  ///< Or `markdown`, `github`.
  /// Told while the comparison goes on; empty for nobody.
  std::function<void(const DiffProgress&)> progress = {};
};

/// `bartizan diff OLD NEW`: what each role may do under one policy and not under the other, each
/// with a call that shows it. No server runs, and no secret is read. Answers kExitDone where
/// nothing is gained, and all was tried.
int diff_configurations(const DiffOptions& options, const CommandOutput& output);

}  // namespace bartizan
