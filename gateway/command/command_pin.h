#pragma once

#include <cstdint>
#include <string>

#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan pin`.
struct PinOptions {
  std::string config;
  std::string server = {};   ///< Only this server; empty: all.
  std::string tool = "*/*";  ///< Glob of `server/tool`: the tools to pin. Others stay unchanged.
  enum class Then : std::uint8_t {
    write,  ///< Write the lock file unless it would change unseen.
    check,  ///< Fail if it would change.
    diff,   ///< Only show what would change.
  } then = Then::write;
  /// The digest that this command printed with the differences. It approves them.
  std::string accept = {};
};

/// `bartizan pin FILE`: asks the servers of a configuration for their identities and lists. Writes
/// them, as approved by a person, to its lock file (`[pins] file`, or `bartizan.lock` beside it).
/// If an existing lock file differs, the differences are shown first, with a digest of the new
/// file. They are written only if `--accept` has that digest, so that exactly what was seen is
/// approved. A server whose `ServerIdentity` or `executables` differ from the approved ones is not
/// started and gets no message.
///
/// Returns kExitFailed if a difference is not accepted, a server did not list, or nothing could be
/// written. Returns kExitUsage if the configuration is unusable.
int pin_tools(const PinOptions& options, const Launcher& launcher, const CommandOutput& output);

}  // namespace bartizan
