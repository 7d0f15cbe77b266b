#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "schemas/message/tool_hints.h"

namespace bartizan {

struct ToolDefinition;

/// What of a definition a lock file pins, by its version. Version 1 leaves out what is not
/// `is_fingerprinted_v1`; version 2 leaves out what `[pins] volatile` names, and nothing else.
enum class PinVersion : std::uint8_t { v1, v2 };

/// What a lock file keeps of one tool.
struct PinnedTool {
  /// Of the definition: `ToolDefinition::fingerprint`, or `fingerprint_v1` of version 1.
  std::string fingerprint;
  std::string definition = {};  ///< JSON text.
  ToolHints hints;
  /// A person approved the definition; it was not merely the first that came.
  bool is_approved = false;
  /// The approval is of a fingerprint alone: the hints are those of the listed definition that has
  /// it, and `hints` says nothing.
  bool hints_as_listed = false;
  PinVersion version = PinVersion::v2;
  bool operator==(const PinnedTool&) const = default;
};

/// Whether a definition is the one that is pinned, as far as the version of its pin says.
bool is_pinned_as(const PinnedTool& pinned, const ToolDefinition& tool);

/// Tool → what is kept of it.
using PinnedServer = std::map<std::string, PinnedTool, std::less<>>;
/// Server → its tools.
using PinnedTools = std::map<std::string, PinnedServer, std::less<>>;

/// Absolute path of a file → the SHA-256 of what a person approved, lower-case hex.
using PinnedFiles = std::map<std::string, std::string, std::less<>>;
/// Server → the files that it is made of.
using PinnedExecutables = std::map<std::string, PinnedFiles, std::less<>>;
/// Server → the SHA-256 of the DER of its certificate's public key, lower-case hex.
using PinnedKeys = std::map<std::string, std::string, std::less<>>;

}  // namespace bartizan
