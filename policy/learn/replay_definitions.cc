#include "policy/learn/replay_definitions.h"

#include <utility>

#include "policy/text/qualified_name.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {
namespace {

std::string name_of(const DescribedCall& call) {
  return QualifiedName(call.server, call.target).text();
}

std::unique_ptr<const ToolDefinition> compile(const std::string& entry,
                                              std::span<const std::string> volatile_members) {
  const Bytes bytes{std::string_view(entry)};
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes, kResponseLimits);
  if (!value.has_value()) return nullptr;
  Result<ToolDefinition> definition = read_tool_definition(*value, Era::modern, volatile_members);
  if (!definition.has_value()) return nullptr;
  definition->schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*value));
  return std::make_unique<const ToolDefinition>(*std::move(definition));
}

}  // namespace

ReplayDefinitions::ReplayDefinitions(const Config& config, const Capture& capture)
    : config_(config), capture_(capture), others_(config, none_) {
  for (const Capture::Run& run : capture.runs) {
    for (const CapturedCall& call : run.calls) {
      if (call.known == KnownDefinition::listed) latest_[name_of(call.call)] = call.definition;
    }
  }
}

const ToolDefinition* ReplayDefinitions::compiled(const std::string& fingerprint) {
  const auto [found, is_new] = compiled_.try_emplace(fingerprint);
  const auto entry = is_new ? capture_.definitions.find(fingerprint) : capture_.definitions.end();
  if (entry != capture_.definitions.end())
    found->second = compile(entry->second, config_.pins.volatile_members);
  return found->second.get();
}

const ToolDefinition* ReplayDefinitions::find(const CapturedCall& call) {
  if (call.call.target_kind != TargetKind::tool || call.known == KnownDefinition::none) {
    return nullptr;
  }
  if (const ToolDefinition* own = compiled(call.definition)) return own;
  const auto latest = latest_.find(name_of(call.call));
  const ToolDefinition* other = latest == latest_.end() ? nullptr : compiled(latest->second);
  return other != nullptr ? other : others_.find(call.call);
}

}  // namespace bartizan
