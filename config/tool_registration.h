#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/sandbox_config.h"

namespace bartizan {

/// What a client registered of a tool that a configured server has. It adds to the profiles of the
/// tool, and never takes anything from them. A registration that no person has approved quarantines
/// the tool.
struct ToolRegistration {
  std::int64_t number = 0;  ///< Given by the state file; never used twice.
  std::string server = {};  ///< Configured name.
  std::string tool = {};    ///< The server's own name of it.
  std::string version = {};
  std::string description = {};
  std::string author = {};
  std::vector<std::string> categories = {};   ///< Sorted, each once.
  std::vector<std::string> permissions = {};  ///< Sorted, each once: a caller needs them, too.
  /// The sandbox that the tool's server has to have at least.
  SandboxConfig::Level sandbox_level = SandboxConfig::Level::none;
  std::optional<std::chrono::milliseconds> max_execution_time = {};
  std::optional<std::uint64_t> max_memory = {};  ///< Bytes that the sandbox may let the server use.
  std::string input_schema = {};                 ///< JSON text; it compiles.
  std::string output_schema = {};                ///< JSON text that compiles, or empty.
  bool is_approved = false;

  bool operator==(const ToolRegistration&) const = default;
};

}  // namespace bartizan
