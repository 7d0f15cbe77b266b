#include "policy/check/check_blocked.h"

#include "policy/text/qualified_name.h"

namespace bartizan {

bool BlockedNames::has_tool(std::string_view server, std::string_view tool) const {
  if (servers.contains(server)) return true;
  return !tools.empty() && tools.contains(QualifiedName(server, tool).view());
}

Decision check_blocked(const BlockedNames& blocked, const Call& call) {
  if (call.server.empty()) return Decision::pass();
  const bool is_blocked = call.target_kind == TargetKind::tool
                              ? blocked.has_tool(call.server, call.target)
                              : blocked.has_server(call.server);
  return is_blocked ? Decision::deny(Reason::blocked) : Decision::pass();
}

}  // namespace bartizan
