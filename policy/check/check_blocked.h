#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// The servers and tools that operators blocked for everybody. No configuration has them.
struct BlockedNames {
  std::set<std::string, std::less<>> servers;
  std::set<std::string, std::less<>> tools;  ///< `server/tool`, as rules name it.

  bool empty() const { return servers.empty() && tools.empty(); }
  bool has_server(std::string_view server) const { return servers.contains(server); }
  /// Whether that tool is blocked, or its server.
  bool has_tool(std::string_view server, std::string_view tool) const;

  bool operator==(const BlockedNames&) const = default;
};

/// Did an operator block the target of the call? It is then refused as `blocked`, and the caller
/// gets that reason. A call for no server passes. A block of a tool refuses calls of that tool
/// only, not prompts or resources of its server.
///
/// It runs after policy permits the call: a refusal must not show what exists.
/// Cost: up to two look-ups.
Decision check_blocked(const BlockedNames& blocked, const Call& call);

}  // namespace bartizan
