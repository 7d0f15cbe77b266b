#include "policy/pinned_definitions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "schemas/json.h"
#include "schemas/tool_schemas.h"

namespace bartizan {

PinnedDefinitions::PinnedDefinitions(const Config& config) {
  JsonDocument document;
  for (const auto& [server, tools] : config.pins.tools) {
    for (const auto& [name, pinned] : tools) {
      const Bytes bytes{std::string_view(pinned.definition)};
      const Result<JsonValue> entry = document.read(bytes, kResponseLimits);
      if (!entry.has_value()) continue;  // The loader has read it before.
      Result<ToolDefinition> definition = read_tool_definition(*entry);
      if (!definition.has_value()) continue;
      definition->schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*entry));
      servers_[server].push_back(*std::move(definition));
    }
  }
}

const ToolDefinition* PinnedDefinitions::find(std::string_view server,
                                              std::string_view tool) const {
  const auto of_server = servers_.find(server);
  if (of_server == servers_.end()) return nullptr;
  const auto found = std::ranges::find(of_server->second, tool, &ToolDefinition::name);
  return found == of_server->second.end() ? nullptr : &*found;
}

KnownNames PinnedDefinitions::names() const {
  KnownNames names;
  for (const auto& [server, tools] : servers_) {
    for (const ToolDefinition& tool : tools)
      names.tools[server].push_back(tool.name);
  }
  return names;
}

KnownTools PinnedDefinitions::tools() const {
  KnownTools known;
  for (const auto& [server, tools] : servers_) {
    for (const ToolDefinition& tool : tools)
      known[server].push_back(&tool);
  }
  return known;
}

}  // namespace bartizan
