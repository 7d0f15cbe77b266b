#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// What operators blocked for everybody, by name, beside the configuration.
struct BlockedNames {
  std::set<std::string, std::less<>> servers;
  std::set<std::string, std::less<>> tools;  ///< `server/tool`, as rules name it.

  bool empty() const { return servers.empty() && tools.empty(); }
  bool has_server(std::string_view server) const { return servers.contains(server); }
  /// Whether that tool is blocked, or its server.
  bool has_tool(std::string_view server, std::string_view tool) const;

  bool operator==(const BlockedNames&) const = default;
};

/// Did an operator block what the call is for? Refused as `blocked` then, and the caller is told
/// so. Passes what is for no server. A block of a tool is one of calls of the tool: it says nothing
/// of a prompt or a resource of its server.
///
/// Asked once policy permits the call: a refusal must not tell what exists.
/// Cost: up to two look-ups.
Decision check_blocked(const BlockedNames& blocked, const Call& call);

}  // namespace bartizan
