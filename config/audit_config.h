#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/position.h"
#include "config/secret_reference.h"

namespace bartizan {

/// `[audit.heads]`: signed heads of the record that are kept elsewhere.
struct SignedHeadConfig {
  SecretReference key = {};  ///< Ed25519 private key, PEM.
  std::chrono::milliseconds every{60'000};
  std::string file = {};  ///< Path to which each head is appended; empty: none.
  /// Program and arguments; gets each head on its standard input.
  std::vector<std::string> command = {};
  std::vector<std::string> exports = {};  ///< Names of `[export.NAME]` that receive each head.
  Position where = {};
};

/// `[audit]`
struct AuditConfig {
  std::string file = {};  ///< Path, required.
  enum class Durability : std::uint8_t { kernel, disk, async } durability = Durability::kernel;
  /// HMAC key of argument digests; without one, random per process.
  SecretReference digest_key = {};
  /// The size in bytes at which a file is closed; at least 4 KiB. The chain continues in the next
  /// file.
  std::uint64_t rotate_size = std::uint64_t{256} << 20;
  /// The age of a file's first record at which a smaller file is closed; at least 1 s.
  std::chrono::milliseconds rotate_age = std::chrono::hours(24);
  /// The age of a closed file's last record at which the file is removed; at least one hour.
  /// Nothing: files are never removed.
  std::optional<std::chrono::milliseconds> retention = {};
  /// This gateway's name where several gateways send records; empty: the host's name.
  std::string instance = {};
  std::optional<SignedHeadConfig> heads = {};
  Position where = {};
};

}  // namespace bartizan
