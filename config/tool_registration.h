#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/sandbox_config.h"

namespace bartizan {

/// A client's registration of a tool of a configured server. It adds to the tool's profiles and
/// never removes from them. The tool is quarantined until a person approves the registration.
struct ToolRegistration {
  std::int64_t number = 0;  ///< Assigned by the state file; never reused.
  std::string server = {};  ///< Configured name.
  std::string tool = {};    ///< The server's own name of the tool.
  std::string version = {};
  std::string description = {};
  std::string author = {};
  std::vector<std::string> categories = {};   ///< Sorted, each once.
  std::vector<std::string> permissions = {};  ///< Sorted, each once; required of callers.
  /// The minimum sandbox of the tool's server.
  SandboxConfig::Level sandbox_level = SandboxConfig::Level::none;
  std::optional<std::chrono::milliseconds> max_execution_time = {};
  std::optional<std::uint64_t> max_memory = {};  ///< Bytes that the sandbox may allow the server.
  std::string input_schema = {};                 ///< JSON text; it compiles.
  std::string output_schema = {};                ///< JSON text that compiles, or empty.
  bool is_approved = false;

  bool operator==(const ToolRegistration&) const = default;
};

}  // namespace bartizan
