#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "schemas/message/tool_hints.h"

namespace bartizan {

struct ToolDefinition;

/// The parts of a definition that a lock file pins, by its version. Version 1 pins what
/// `is_fingerprinted_v1` selects. Version 2 pins everything except the members in `[pins]
/// volatile`.
enum class PinVersion : std::uint8_t { v1, v2 };

/// The entry of one tool in a lock file.
struct PinnedTool {
  /// The definition's `ToolDefinition::fingerprint`; for version 1 its `fingerprint_v1`.
  std::string fingerprint;
  std::string definition = {};  ///< JSON text.
  ToolHints hints;
  /// A person approved the definition. Otherwise it was only the first seen.
  bool is_approved = false;
  /// Only a fingerprint was approved. The hints are then those of the listed definition with this
  /// fingerprint, and `hints` is unused.
  bool hints_as_listed = false;
  PinVersion version = PinVersion::v2;
  bool operator==(const PinnedTool&) const = default;
};

/// Whether a definition matches a pin, under the rules of the pin's version.
bool is_pinned_as(const PinnedTool& pinned, const ToolDefinition& tool);

/// Tool → its pin.
using PinnedServer = std::map<std::string, PinnedTool, std::less<>>;
/// Server → its tools.
using PinnedTools = std::map<std::string, PinnedServer, std::less<>>;

/// Absolute path of a file → the approved SHA-256, lower-case hex.
using PinnedFiles = std::map<std::string, std::string, std::less<>>;
/// Server → its files.
using PinnedExecutables = std::map<std::string, PinnedFiles, std::less<>>;
/// Server → SHA-256 of its certificate's public key in DER, lower-case hex.
using PinnedKeys = std::map<std::string, std::string, std::less<>>;

}  // namespace bartizan
