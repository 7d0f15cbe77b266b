#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"
#include "gateway/setup/wrap_config.h"
#include "policy/definition/finding_severity.h"

namespace bartizan {

/// What `bartizan scan` looks at.
struct ScanOptions {
  /// A lock file, a result of `tools/list` (or its `tools`), both JSON; or a configuration, TOML.
  std::string file;
  /// A server that no configuration names, in the place of the file; `file` is its program then.
  std::optional<WrapOptions> program = {};
  /// What the servers of a configuration list now, or what its lock file has.
  enum class Servers : std::uint8_t { ask, leave } servers = Servers::ask;
  /// `--sarif`, in the place of text and JSON.
  enum class Report : std::uint8_t { findings, sarif } report = Report::findings;
  FindingSeverity fails_from = FindingSeverity::high;  ///< Findings that fail the command.
};

/// `bartizan scan FILE`: what in definitions of tools talks to the model, hides, asks for secrets,
/// or takes itself for another server's tool. Nothing is called; servers run only where a
/// configuration is scanned, as `check --servers` runs them, or where one is given itself, as
/// `wrap` runs it.
///
/// Answers kExitFailed where something of `fails_from` is found, or a server did not list;
/// kExitUsage where the file cannot be read.
int scan_tools(const ScanOptions& options, const Launcher& launcher, const CommandOutput& output);

}  // namespace bartizan
