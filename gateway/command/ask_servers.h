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

/// The lists of one server, as far as it answered.
struct AskedServer {
  bool is_known = false;          ///< Whether it answered.
  std::string failure;            ///< Why not, in a sentence of the gateway.
  std::size_t callable = 0;       ///< Tools that are not quarantined.
  std::vector<std::string> eras;  ///< `legacy`, `modern`: the eras that it supports.
  std::vector<std::string> tools, prompts;
  std::map<std::string, std::string> quarantined;  ///< Quarantined tools → the reason.
  std::set<std::string> no_tools;  ///< Those of them that are not valid tools at all.
  /// The definitions of valid tools.
  std::vector<std::shared_ptr<const ToolDefinition>> definitions;
};

/// Starts every server of a configuration as the gateway would, reads its lists of tools and
/// prompts, and ends it. Records nothing and calls no tool.
///
/// Errors: `config_invalid` if something that a server needs cannot be read.
/// Cost:   as long as the slowest server takes; at most `server_start_deadline` per era.
/// Lifetime: the result holds bytes of `memory`.
Result<std::map<std::string, AskedServer>> ask_servers(const Config& config, MemoryBudget& memory,
                                                       const Launcher& launcher);

}  // namespace bartizan
