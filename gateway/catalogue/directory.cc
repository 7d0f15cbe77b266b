#include "gateway/catalogue/directory.h"

#include <algorithm>
#include <array>

#include "schemas/json/json.h"
#include "schemas/message/message.h"

namespace bartizan {
namespace {

/// Source: SEP-2640, "Capability Negotiation".
constexpr std::string_view kSkillsExtension = "io.modelcontextprotocol/skills";

/// As one member of the capabilities.
std::string extensions_of(const AdvertisedFeatures& offered) {
  std::string json = R"("extensions":{)";
  if (offered.skills) {
    json += "\"" + std::string(kSkillsExtension) + "\":";
    json += offered.directory_read ? R"({"directoryRead":true})" : "{}";
  }
  if (offered.tasks) {
    json += (offered.skills ? ",\"" : "\"") + std::string(kTasksExtension) + "\":{}";
  }
  return json + "}";
}

void add(AdvertisedFeatures& offered, const ServerHandshake& server) {
  JsonDocument document;
  const Bytes bytes{std::string_view(server.capabilities)};
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  if (!root.has_value()) return;
  const auto has = [&](std::string_view name) { return static_cast<bool>(root->find(name)); };
  offered.tools |= has("tools");
  offered.prompts |= has("prompts");
  offered.resources |= has("resources");
  offered.subscribe |= root->find("resources").find("subscribe").boolean().value_or(false);
  offered.completions |= has("completions");
  offered.logging |= has("logging") && server.passes_logs;
  offered.tasks |= server.passes_tasks && root->find("extensions").find(kTasksExtension);
  if (server.era != Era::modern) return;
  const JsonValue skills = root->find("extensions").find(kSkillsExtension);
  offered.skills |= skills.is(JsonType::object);
  offered.directory_read |= skills.find("directoryRead").boolean().value_or(false);
}

}  // namespace

void ServerState::remember(const ServerState& before) {
  if (is_up()) return;
  last_spoken = before.last_spoken;
  if (!before.is_up()) return;
  const bool is_dual = before.legacy.has_value() && before.modern.has_value();
  last_spoken = is_dual ? std::nullopt : std::optional(before.spoken_for(Era::legacy));
}

bool Directory::answers(const ShownServers& shows) const {
  return std::ranges::any_of(
      servers, [&](const auto& entry) { return entry.second.is_up() && shows(entry.first); });
}

AdvertisedFeatures offered_by(const ServerHandshake& server) {
  AdvertisedFeatures offered;
  add(offered, server);
  return offered;
}

AdvertisedFeatures offered_by(const Directory& directory,
                              const std::map<std::string, ServerConfig, std::less<>>& configured,
                              Era era, const ShownServers& shows) {
  AdvertisedFeatures offered;
  for (const auto& [name, server] : directory.servers) {
    const std::optional<ServerHandshake>& said = server.said_for(era);
    if (said.has_value() && shows(name)) add(offered, *said);
  }
  // The extension needs requests that legacy revisions do not have.
  if (era == Era::legacy) offered.skills = offered.directory_read = false;
  for (const auto& [name, server] : configured) {
    const ServerState* state = directory.find(name);
    if ((state != nullptr && state->is_up()) || !shows(name)) continue;
    offered.tools = offered.prompts = offered.resources = true;
    offered.logging |= allows(server.client_features, ClientFeature::logging);
    offered.tasks |= allows(server.client_features, ClientFeature::tasks);
  }
  offered.tasks &= era == Era::modern;
  return offered;
}

bool serves_skills(const Directory& directory, std::string_view server) {
  const ServerState* state = directory.find(server);
  // Few servers have skills. The text search excludes most without parsing.
  return state != nullptr && state->modern.has_value() &&
         state->modern->capabilities.contains(kSkillsExtension) &&
         offered_by(*state->modern).skills;
}

const ServerState* Directory::find(std::string_view server) const {
  const auto found = servers.find(server);
  return found == servers.end() ? nullptr : &found->second;
}

std::string merged_capabilities(const AdvertisedFeatures& offered, Announced announced) {
  std::string json = "{";
  const auto declare = [&](bool is_offered, std::string_view member) {
    if (!is_offered) return;
    if (json.size() > 1) json += ",";
    json += member;
  };
  if (announced == Announced::answers_only) {
    declare(offered.tools, R"("tools":{})");
    declare(offered.prompts, R"("prompts":{})");
    declare(offered.resources, R"("resources":{})");
    declare(offered.completions, R"("completions":{})");
    declare(offered.skills || offered.tasks, extensions_of(offered));
    return json + "}";
  }
  declare(offered.tools, R"("tools":{"listChanged":true})");
  declare(offered.prompts, R"("prompts":{"listChanged":true})");
  declare(offered.resources && offered.subscribe,
          R"("resources":{"subscribe":true,"listChanged":true})");
  declare(offered.resources && !offered.subscribe, R"("resources":{"listChanged":true})");
  declare(offered.completions, R"("completions":{})");
  declare(offered.logging, R"("logging":{})");
  declare(offered.skills || offered.tasks, extensions_of(offered));
  return json + "}";
}

std::string merged_instructions(const Directory& directory, Era era, const ShownServers& shows) {
  std::string merged;
  const auto speaks = [&](const auto& entry) {
    const auto& said = entry.second.said_for(era);
    return said.has_value() && !said->instructions.empty() && shows(entry.first);
  };
  const auto speakers = std::ranges::count_if(directory.servers, speaks);
  for (const auto& entry : directory.servers) {
    if (!speaks(entry)) continue;
    const auto& [name, server] = entry;
    if (!merged.empty()) merged += "\n\n";
    if (speakers > 1) merged += name + ":\n";
    merged += server.said_for(era)->instructions;
  }
  return merged;
}

}  // namespace bartizan
