#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"
#include "gateway/review/report_problems.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {

/// Options of `bartizan check`.
struct CheckOptions {
  std::string file;
  /// Whether servers are started, and their lists compared with the policy.
  enum class Servers : std::uint8_t { leave, ask } servers = Servers::leave;
  /// Whether identity providers are queried: are they reachable, and do they know the gateway.
  bool asks_issuers = false;
  bool is_strict = false;                     ///< Warnings also fail.
  ReportFormat report = ReportFormat::plain;  ///< Or `github`, `sarif`, `junit`.
  /// Progress of the comparison with the last loaded configuration; may be empty.
  std::function<void(const DiffProgress&)> progress = {};
};

/// `bartizan check FILE`: reports all errors and warnings of a configuration and its policy at
/// once. Returns kExitDone if the gateway would start with it; with `is_strict`, only if there is
/// no warning either.
int check_configuration(const CheckOptions& options, const Launcher& launcher,
                        const CommandOutput& output);

}  // namespace bartizan
