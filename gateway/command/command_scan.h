#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"
#include "gateway/setup/wrap_config.h"
#include "policy/definition/finding_severity.h"

namespace bartizan {

/// Options of `bartizan scan`.
struct ScanOptions {
  /// A lock file, or a result of `tools/list` (or its `tools`), both JSON; or a configuration,
  /// TOML.
  std::string file;
  /// A server without a configuration, instead of the file; `file` is then its program.
  std::optional<WrapOptions> program = {};
  /// Whether the servers of a configuration are asked for their lists, or its lock file is scanned.
  enum class Servers : std::uint8_t { ask, leave } servers = Servers::ask;
  /// `--sarif`, instead of text and JSON.
  enum class Report : std::uint8_t { findings, sarif } report = Report::findings;
  /// The lowest severity that fails the command.
  FindingSeverity fails_from = FindingSeverity::high;
};

/// `bartizan scan FILE`: finds suspicious tool definitions. They address the model, hide text, ask
/// for secrets, or pose as another server's tool. Calls no tool. Servers run only if a
/// configuration is scanned, as in `check --servers`, or a server is given, as in `wrap`.
///
/// Returns kExitFailed for a finding of at least `fails_from`, or if a server did not list. Returns
/// kExitUsage if the file cannot be read.
int scan_tools(const ScanOptions& options, const Launcher& launcher, const CommandOutput& output);

}  // namespace bartizan
