#include "policy/check/pinned_names.h"

#include <algorithm>

#include "policy/text/name_looks.h"

namespace bartizan {

PinnedNames::PinnedNames(const Config& config) {
  // Under the other modes nobody asks.
  if (config.pins.mode != PinsConfig::Mode::trust_on_first_use || config.pins.tools.empty()) return;
  const NameLooks looks;
  for (const auto& [server, tools] : config.pins.tools) {
    for (const auto& [tool, pinned] : tools) {
      if (!pinned.is_approved) continue;
      Owner owner{.server = server, .tool = tool, .spoken = spoken_name(tool)};
      const std::string look = looks.skeleton(tool);
      if (!look.empty()) by_look_[look].push_back(owner);
      by_name_[owner.spoken].push_back(std::move(owner));
    }
  }
  for (const auto& [name, server] : config.servers) {
    std::vector<std::string> program = server.command;
    program.push_back(server.url);
    programs_.emplace(name, std::move(program));
  }
}

bool PinnedNames::is_same_program(std::string_view one, std::string_view other) const {
  const auto first = programs_.find(one);
  const auto second = programs_.find(other);
  return first != programs_.end() && second != programs_.end() && first->second == second->second;
}

bool PinnedNames::has_tool(std::string_view server, std::string_view spoken) const {
  const auto found = by_name_.find(spoken);
  return found != by_name_.end() &&
         std::ranges::find(found->second, server, &Owner::server) != found->second.end();
}

std::string PinnedNames::find_shadowed(std::string_view server, const ToolDefinition& tool) const {
  if (tool.standing == nullptr || by_name_.empty()) return {};
  const auto is_stranger = [&](const Owner& owner) {
    return owner.server != server && !is_same_program(owner.server, server);
  };
  if (const auto alike = by_look_.find(tool.standing->look); alike != by_look_.end()) {
    const std::string spoken = spoken_name(tool.name);
    for (const Owner& owner : alike->second) {
      if (!is_stranger(owner) || owner.spoken == spoken || has_tool(owner.server, spoken)) continue;
      return "confusable-name: looks like " + owner.server + "/" + owner.tool;
    }
  }
  for (const std::string& word : tool.standing->directed) {
    const auto named = by_name_.find(word);
    if (named == by_name_.end() || has_tool(server, word)) continue;
    const auto owner = std::ranges::find_if(named->second, is_stranger);
    if (owner == named->second.end()) continue;
    return "other-tool: tells what to do with " + owner->server + "/" + owner->tool;
  }
  return {};
}

}  // namespace bartizan
