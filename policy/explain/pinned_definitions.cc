#include "policy/explain/pinned_definitions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "schemas/json/json.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

Result<ToolDefinition> read_listed_tool(std::string_view entry, const JsonLimits& limits,
                                        std::span<const std::string> volatile_members) {
  const Bytes bytes(entry);
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes, limits);
  if (!value.has_value()) return std::unexpected(value.error());
  Result<ToolDefinition> definition = read_tool_definition(*value, Era::modern, volatile_members);
  if (definition.has_value()) {
    definition->schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*value));
  }
  return definition;
}

PinnedDefinitions::PinnedDefinitions(const Config& config) {
  for (const auto& [server, tools] : config.pins.tools) {
    for (const auto& [name, pinned] : tools) {
      Result<ToolDefinition> definition =
          read_listed_tool(pinned.definition, kResponseLimits, config.pins.volatile_members);
      // The loader has read it before.
      if (definition.has_value()) servers_[server].push_back(*std::move(definition));
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
