#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/launch/launcher.h"
#include "gateway/runtime/memory_budget.h"
#include "schemas/base/result.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// What one server has, as far as it said so.
struct AskedServer {
  bool is_known = false;          ///< It answered.
  std::string failure;            ///< Why not, in one of our own sentences.
  std::size_t callable = 0;       ///< Tools that are not quarantined.
  std::vector<std::string> eras;  ///< `legacy`, `modern`: those that it speaks.
  std::vector<std::string> tools, prompts;
  std::map<std::string, std::string> quarantined;  ///< Tools that nobody may call, and why.
  std::set<std::string> no_tools;                  ///< Of them, those that are no tools at all.
  /// Of the tools that can be read.
  std::vector<std::shared_ptr<const ToolDefinition>> definitions;
};

/// Starts every server of a configuration as the gateway would, reads its lists of tools and
/// prompts, and ends it. Nothing is recorded, and no call is made.
///
/// Errors: config_invalid when what a server needs cannot be read.
/// Cost:   as long as the slowest server takes, `server_start_deadline` for each era at most.
/// Lifetime: what it answers holds bytes of `memory`.
Result<std::map<std::string, AskedServer>> ask_servers(const Config& config, MemoryBudget& memory,
                                                       const Launcher& launcher);

}  // namespace bartizan
