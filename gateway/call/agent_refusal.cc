#include "gateway/call/agent_refusal.h"

#include <string>

#include "gateway/upstream/agent_policy.h"

namespace bartizan {

Decision refused_by_agent(const CallFrame& frame, const Call& call) {
  if (frame.method() != MethodId::tools_call) return Decision::pass();
  const auto& servers = frame.snapshot().config.servers;
  const auto server = servers.find(call.server);
  if (server == servers.end() || !server->second.agent.has_value()) return Decision::pass();
  const AgentLinkPtr link = frame.worker.gateway.agents.find(call.server);
  if (link == nullptr) return Decision::pass();
  const std::string_view tool = call.target;
  std::string_view own = tool;
  for (const std::string& name : server->second.agent->mcp_servers) {
    if (tool.starts_with(name + ".")) own.remove_prefix(name.size() + 1);
  }
  switch (find_objection(link->posture().identity, {.tool = tool,
                                                    .own_tool = own,
                                                    .arguments = frame.message().arguments,
                                                    .is_approved = !frame.approvals.empty()})) {
    case AgentObjection::approval:
      return Decision::deny(Reason::needs_approval);
    case AgentObjection::command:
      return Decision::deny(Reason::forbidden, nullptr, "/command");
    case AgentObjection::none:
      break;
  }
  return Decision::pass();
}

}  // namespace bartizan
