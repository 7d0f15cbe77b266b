#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/position.h"
#include "config/secret_reference.h"

namespace bartizan {

/// `[audit.heads]`: heads of the record that are signed and kept elsewhere.
struct SignedHeadConfig {
  SecretReference key = {};  ///< Ed25519 private key, PEM.
  std::chrono::milliseconds every{60'000};
  std::string file = {};                  ///< Path to which each is appended; empty for none.
  std::vector<std::string> command = {};  ///< Program and arguments that get each as its input.
  std::vector<std::string> exports = {};  ///< Names of `[export.NAME]` that get each.
  Position where = {};
};

/// `[audit]`
struct AuditConfig {
  std::string file = {};  ///< Path; the record is required, so this key is.
  enum class Durability : std::uint8_t { kernel, disk, async } durability = Durability::kernel;
  SecretReference digest_key = {};  ///< HMAC key of argument digests; random per process if none.
  /// Bytes from which on a file is closed and the chain goes on in the next; 4 KiB at least.
  std::uint64_t rotate_size = std::uint64_t{256} << 20;
  /// Age of its first record from which on it is closed, if it is smaller; a second at least.
  std::chrono::milliseconds rotate_age = std::chrono::hours(24);
  /// Age of its last record from which on a closed file is removed, an hour at least; without it
  /// nothing is ever removed.
  std::optional<std::chrono::milliseconds> retention = {};
  /// What this gateway is called where several send their records; empty: the name of the host.
  std::string instance = {};
  std::optional<SignedHeadConfig> heads = {};
  Position where = {};
};

}  // namespace bartizan
