#pragma once

#include <functional>
#include <map>
#include <string>

#include "schemas/message/tool_hints.h"

namespace bartizan {

/// What a lock file keeps of one tool.
struct PinnedTool {
  std::string fingerprint;      ///< Of the definition, as `ToolDefinition` has it.
  std::string definition = {};  ///< JSON text.
  ToolHints hints;
  /// A person approved the definition; it was not merely the first that came.
  bool is_approved = false;
  bool operator==(const PinnedTool&) const = default;
};

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
