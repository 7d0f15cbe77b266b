#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan revoke` and `bartizan block`.
struct RevokeOptions {
  enum class Act : std::uint8_t { revoke, block } act = Act::revoke;
  std::string config;  ///< Configuration with the `[admin] socket`.
  std::string kind;    ///< `principal`, `session`, `key`, `token`, `server` or `tool`.
  /// The revoked or blocked thing. Empty for a token, which is read from the input.
  std::string name;
  std::string why;
  std::string lasts;  ///< Such as `1h`; empty: until it is lifted.
};

/// `bartizan revoke`, `bartizan block`: instructs a running gateway. When this returns, the
/// revocation or block is in force, on disk and in the record.
///
/// A session or token is sent only as its SHA-256. A token, or its `jti`, is read from `input`, so
/// that it appears in no process list and no shell history.
///
/// Returns kExitFailed if the gateway refuses or does not respond. Returns kExitUsage if the
/// configuration is unusable or has no `[admin]`.
int revoke(const RevokeOptions& options, std::istream& input, const CommandOutput& output);

/// Options of `bartizan lift`.
struct LiftOptions {
  std::string config;
  std::string number;  ///< As in `bartizan revocations`.
};

/// `bartizan lift`: removes the revocation or block with that number. Returns as `revoke`.
int lift(const LiftOptions& options, const CommandOutput& output);

/// `bartizan revocations`: lists all that are in force. Returns as `revoke`.
int list_revocations(const std::string& config, const CommandOutput& output);

}  // namespace bartizan
