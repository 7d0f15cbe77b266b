#pragma once

#include <cstdint>
#include <string>

#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan pin` is asked.
struct PinOptions {
  std::string config;
  std::string server = {};   ///< Of this server only; empty is all.
  std::string tool = "*/*";  ///< Glob of `server/tool`: what is pinned; others stay as they are.
  enum class Then : std::uint8_t {
    write,  ///< Write the lock file where nothing in it would change unseen.
    check,  ///< Fail where it would change.
    diff,   ///< Only say what would.
  } then = Then::write;
  /// The digest that this command showed with the differences: they are approved.
  std::string accept = {};
};

/// `bartizan pin FILE`: asks the servers of a configuration what they are and what they list, and
/// writes that as what a person approved into its lock file (`[pins] file`, or `bartizan.lock`
/// beside it). What a lock file that is there has otherwise is shown first, with a digest of what
/// would be written, and written only where `--accept` names that digest: what is approved is what
/// was seen. A server is not started, and not sent anything, while what it is (`ServerIdentity`,
/// and its `executables`) is not what was approved.
///
/// Answers kExitFailed where something differs that is not accepted, a server did not list, or
/// nothing could be written; kExitUsage where the configuration cannot be used.
int pin_tools(const PinOptions& options, const Launcher& launcher, const CommandOutput& output);

}  // namespace bartizan
