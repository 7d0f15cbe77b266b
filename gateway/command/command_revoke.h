#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan revoke` and `bartizan block` are told.
struct RevokeOptions {
  enum class Act : std::uint8_t { revoke, block } act = Act::revoke;
  std::string config;  ///< Configuration, whose `[admin] socket` is asked.
  std::string kind;    ///< `principal`, `session`, `key`, `token`, `server` or `tool`.
  /// What is revoked or blocked. Of a token nothing: it is read from the input.
  std::string name;
  std::string why;
  std::string lasts;  ///< As `1h`; empty: until it is lifted.
};

/// `bartizan revoke`, `bartizan block`: tells a running gateway. What is revoked or blocked is on
/// the disk, on record and in force when this answers.
///
/// A session and a token are sent by their SHA-256 alone. A token, or its `jti`, is read from
/// `input`, so that it stands in no list of processes and in no shell's history.
///
/// Answers kExitFailed where the gateway refuses, or does not answer; kExitUsage where the
/// configuration cannot be used or has no `[admin]`.
int revoke(const RevokeOptions& options, std::istream& input, const CommandOutput& output);

/// What `bartizan lift` is told.
struct LiftOptions {
  std::string config;
  std::string number;  ///< As `bartizan revocations` shows it.
};

/// `bartizan lift`: takes back what has that number. Answers as `revoke`.
int lift(const LiftOptions& options, const CommandOutput& output);

/// `bartizan revocations`: lists all that holds. Answers as `revoke`.
int list_revocations(const std::string& config, const CommandOutput& output);

}  // namespace bartizan
