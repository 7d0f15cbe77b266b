#include "gateway/call/asked_tool.h"

#include <algorithm>

#include "gateway/dialect/groundhog_tool.h"
#include "policy/check/check_permission.h"

namespace bartizan {
namespace {

/// Of a server that names none, or that is not up.
constexpr std::string_view kNoVersion = "0";

std::string_view server_version(const CallFrame& frame, std::string_view server) {
  const ServerState* state = frame.worker.directory->find(server);
  if (state == nullptr) return kNoVersion;
  const std::optional<ServerHandshake>& said = state->said_for(frame.inbound.era);
  return said.has_value() && !said->server_version.empty() ? std::string_view(said->server_version)
                                                           : kNoVersion;
}

Decision lacks_permission(const std::string& permission) {
  Decision denial = Decision::deny(Reason::permission_missing);
  denial.permission = permission;
  return denial;
}

Decision other_version(std::string_view version) {
  Decision denial = Decision::deny(Reason::invalid_params);
  denial.violations.push_back(
      {.pointer = "/tool_version", .keyword = "const", .expected = std::string(version)});
  return denial;
}

}  // namespace

std::optional<ToolSearch> search_of(const GroundhogRequest& request) {
  if (request.method != GroundhogRequest::Method::list) return std::nullopt;
  return ToolSearch{
      .words = request.words, .most = request.most, .form = ToolSearch::Form::groundhog};
}

Decision check_asked_tool(const CallFrame& frame) {
  const GroundhogRequest* asked = frame.inbound.groundhog.get();
  if (asked == nullptr || frame.method() != MethodId::tools_call) return Decision::pass();
  const ToolProfiles::Found profile = frame.policy().profiles().find(frame.call);
  const std::string_view version = version_of(*profile, server_version(frame, frame.call.server));
  if (asked->version != version) return other_version(version);
  if (!asked->limits_permissions) return Decision::pass();
  for (const std::string& permission : asked->permissions) {
    if (!holds_permission(frame.principal(), permission)) return lacks_permission(permission);
  }
  for (const std::string& permission : profile->permissions) {
    if (!std::ranges::binary_search(asked->permissions, permission))
      return lacks_permission(permission);
  }
  return Decision::pass();
}

std::string asked_tool_entry(const CallFrame& frame, const ServerConfig& server,
                             std::string_view name, std::string_view definition) {
  const ToolProfiles::Found profile = frame.policy().profiles().find(server.name, name);
  return write_groundhog_tool({.definition = definition,
                               .version = version_of(*profile, server_version(frame, server.name)),
                               .trust = server.trust,
                               .profile = *profile});
}

}  // namespace bartizan
