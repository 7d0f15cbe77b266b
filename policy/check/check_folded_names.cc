#include "policy/check/check_folded_names.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "policy/predicate/argument_names.h"
#include "schemas/json/folded_name.h"
#include "schemas/json/json_pointer.h"
#include "schemas/message/tool_schemas.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {
namespace {

constexpr std::size_t kAlikeMax = ArgumentNames::kAlikeMax;

const JsonSchema* input_schema(const Call& call, const MergedProfile& profile) {
  const ToolDefinition* tool = call.facts.tool;
  if (tool == nullptr || tool->schemas == nullptr) return nullptr;
  return tool->schemas->input.usable(profile.untranslatable);
}

/// An argument that passes for one that policy or the tool knows.
JsonValue find_known(const MergedProfile& profile, const JsonSchema* schema, ArgumentNames& names,
                     JsonValue arguments) {
  if (schema != nullptr) {
    if (const JsonValue found = schema->find_folded(arguments)) return found;
  }
  for (const auto& overlay : profile.overlays) {
    if (const JsonValue found = overlay->find_folded(arguments)) return found;
  }
  for (const ArgumentGuard& guard : profile.guards) {
    if (const JsonValue found = names.find_folded(guard.segments)) return found;
  }
  return {};
}

bool holds(JsonValue outer, JsonValue inner) {
  return outer && inner.range().begin >= outer.range().begin &&
         inner.range().end <= outer.range().end;
}

/// The object that has a member, at or below `value`.
JsonValue object_of(JsonValue value, JsonValue member) {
  while (true) {
    JsonValue next;
    for (const JsonValue one : value) {
      if (one.range().begin == member.range().begin) return value;
      if (holds(one, member)) next = one;
    }
    if (!next) return {};
    value = next;
  }
}

bool forwards_folded(const std::map<std::string, ServerConfig, std::less<>>& servers,
                     std::string_view name) {
  const auto server = servers.find(name);
  return server != servers.end() &&
         server->second.folded_names == ServerConfig::FoldedNames::forward;
}

/// The parts of a message that a receiver reads members of.
JsonValue body_of(const Message& message) {
  if (message.kind == MessageKind::response) return message.result;
  return message.kind == MessageKind::error_response ? message.error : message.params;
}

/// Refuses two members that fold alike; which of them is told is the later one.
Decision check_pairs(const Call& call, const JsonSchema* schema, ArgumentNames& names) {
  const JsonValue arguments = call.message.arguments;
  const bool has_alike = schema != nullptr && schema->has_alike_names();
  const std::vector<FoldedPair> pairs =
      find_folded_pairs(body_of(call.message), has_alike ? kAlikeMax : 1);
  for (const FoldedPair& pair : pairs) {
    const bool is_argument = holds(arguments, pair.second);
    const bool is_declared = is_argument && names.has_both(object_of(arguments, pair.second),
                                                           pair.first.key(), pair.second.key());
    if (is_declared && pairs.size() < kAlikeMax) continue;
    return Decision::deny(Reason::ambiguous_member, nullptr,
                          is_argument ? pointer_to(arguments, pair.second) : "");
  }
  return Decision::pass();
}

}  // namespace

Decision check_folded_names(const ToolProfiles& profiles,
                            const std::map<std::string, ServerConfig, std::less<>>& servers,
                            const Call& call) {
  const bool is_servers = call.direction == Direction::server_to_client;
  if (is_servers && !call.message.is_request()) return Decision::pass();
  const bool is_tool_call = call.message.known->id == MethodId::tools_call;
  const JsonValue arguments = is_tool_call ? call.message.arguments : JsonValue();
  if (!arguments) {
    ArgumentNames none(arguments, nullptr);
    Decision decision = check_pairs(call, nullptr, none);
    return decision.denies() && forwards_folded(servers, call.server) ? Decision::pass() : decision;
  }
  const ToolProfiles::Found profile = profiles.find(call);
  const JsonSchema* schema = input_schema(call, *profile);
  ArgumentNames names(arguments, schema);
  if (const JsonValue found = find_known(*profile, schema, names, arguments)) {
    return Decision::deny(Reason::ambiguous_member, nullptr, pointer_to(arguments, found));
  }
  Decision decision = check_pairs(call, schema, names);
  return decision.denies() && forwards_folded(servers, call.server) ? Decision::pass() : decision;
}

}  // namespace bartizan
