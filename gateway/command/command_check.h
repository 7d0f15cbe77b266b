#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"
#include "gateway/review/report_problems.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {

/// What `bartizan check` looks at.
struct CheckOptions {
  std::string file;
  /// Whether servers are started, and what they have is held against the policy.
  enum class Servers : std::uint8_t { leave, ask } servers = Servers::leave;
  /// Whether identity providers are asked whether they are there, and know the gateway.
  bool asks_issuers = false;
  bool is_strict = false;                     ///< Warnings fail, too.
  ReportFormat report = ReportFormat::plain;  ///< Or `github`, `sarif`, `junit`.
  /// Told while it is compared with what was loaded last; empty for nobody.
  std::function<void(const DiffProgress&)> progress = {};
};

/// `bartizan check FILE`: everything that is wrong or doubtful with a configuration and its
/// policy, in one go. Answers kExitDone where the gateway would start with it, and
/// with `is_strict` only where there is no warning either.
int check_configuration(const CheckOptions& options, const Launcher& launcher,
                        const CommandOutput& output);

}  // namespace bartizan
