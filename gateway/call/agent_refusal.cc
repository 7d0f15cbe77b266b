#include "gateway/call/agent_refusal.h"

#include "gateway/upstream/agent_policy.h"

namespace bartizan {

Decision refused_by_agent(const CallFrame& frame, const Call& call) {
  if (frame.method() != MethodId::tools_call) return Decision::pass();
  const ServerConfig* server = frame.target.server;
  if (server == nullptr || !server->agent.has_value()) return Decision::pass();
  const AgentLinkPtr link = frame.worker.gateway.agents.find(server->name);
  if (link == nullptr) return Decision::pass();
  switch (find_objection(link->posture().identity,
                         {.tool = call.target,
                          .own_tool = split_tool(*server->agent, call.target).tool,
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
