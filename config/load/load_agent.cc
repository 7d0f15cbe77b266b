#include "config/load/load_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "config/check_name.h"

namespace bartizan {
namespace {

constexpr std::size_t kAgentIdMax = 128;

/// Identifiers appear in records, URL paths and log headers: printable ASCII without `/`.
bool is_agent_id(std::string_view id) {
  return !id.empty() && id.size() <= kAgentIdMax && std::ranges::all_of(id, [](char byte) {
    return byte > ' ' && byte < 0x7F && byte != '/' && byte != '?' && byte != '#' && byte != '%';
  });
}

/// The name must be recoverable from name and tool joined by a dot.
void check_server_names(const std::vector<Text>& names, Problems& problems) {
  for (const Text& name : names) {
    check_name(name, "MCP server", problems);
    for (const Text& other : names) {
      if (!other.value.starts_with(name.value + ".")) continue;
      problems.error(other.where,
                     fmt::format("{} begins like the name {}: a tool of the one could be a tool "
                                 "of the other",
                                 quote(other.value), quote(name.value)));
    }
  }
}

/// Warns of single-tool profiles whose tool cannot be called. Without a schema there is no tool.
/// The part before a dot may name a server that the agent does not have.
void warn_of_tools(const Config& config, const ServerConfig& server, Problems& problems) {
  for (const ToolProfile& profile : config.tools) {
    const auto tool = exact_tool_of(profile, server.name);
    if (!tool.has_value()) continue;
    const bool has_schema = std::ranges::any_of(config.tools, [&](const ToolProfile& other) {
      return other.pattern == profile.pattern && !other.schema.empty();
    });
    if (!has_schema) {
      problems.warning(profile.where,
                       fmt::format("the agent {} has no tool {} without a \"schema\"",
                                   quote(server.name), quote(*tool)),
                       "write schema = { type = \"object\" } or more");
    }
    const std::string_view owner = tool->substr(0, tool->find('.'));
    const auto& names = server.agent->mcp_servers;
    const bool is_of_server = std::ranges::any_of(
        names, [&](const std::string& name) { return tool->starts_with(name + "."); });
    if (owner.size() == tool->size() || is_of_server) continue;
    problems.warning(profile.where,
                     fmt::format("{} is a tool of the agent itself: it has no MCP server {}",
                                 quote(*tool), quote(owner)),
                     fmt::format("write mcp_servers = [\"{}\"] for a tool of that server", owner));
  }
}

}  // namespace

std::optional<AgentConfig> load_agent(TableReader& server) {
  auto table = server.table("agent");
  if (!table) return std::nullopt;
  AgentConfig agent{.id = table->text("id").value_or(""),
                    .token_sha256 = table->text("token_sha256").value_or("")};
  if (!is_agent_id(agent.id)) {
    table->problems().error(table->has("id") ? table->where("id") : table->where(),
                            "an agent needs an \"id\" of at most 128 letters, digits and signs, "
                            "without / ? # and %",
                            "write what the agent says as agent_id");
  }
  if (!is_sha256(agent.token_sha256)) {
    table->problems().error(
        table->has("token_sha256") ? table->where("token_sha256") : table->where(),
        "an agent needs the SHA-256 of its token as \"token_sha256\"",
        "printf %s \"$TOKEN\" | sha256sum");
  }
  const std::vector<Text> names = table->texts("mcp_servers");
  check_server_names(names, table->problems());
  agent.mcp_servers = values(names);
  table->finish();
  return agent;
}

void check_agents(const Config& config, Problems& problems) {
  std::map<std::string_view, std::string_view> owners;
  const bool is_taken = std::ranges::any_of(config.endpoints, [](const auto& entry) {
    return entry.second.protocol == EndpointConfig::Protocol::fabricore;
  });
  for (const auto& [name, server] : config.servers) {
    if (!server.agent.has_value()) continue;
    const auto [owner, is_new] = owners.emplace(server.agent->id, name);
    if (!is_new) {
      problems.error(server.where, fmt::format("the servers {} and {} are the same agent",
                                               quote(owner->second), quote(name)));
    }
    if (!is_taken) {
      problems.error(server.where,
                     fmt::format("the agent {} has no endpoint to connect to", quote(name)),
                     "write protocol = \"fabricore\" in an [endpoint.NAME]");
    }
    warn_of_tools(config, server, problems);
    const bool has_tools = std::ranges::any_of(config.tools, [&](const ToolProfile& profile) {
      return !profile.schema.empty() && exact_tool_of(profile, name).has_value();
    });
    if (has_tools) continue;
    problems.warning(server.where, fmt::format("the agent {} has no tools", quote(name)),
                     fmt::format("write [tool.\"{}/exec_command\"] with its schema", name));
  }
}

}  // namespace bartizan
