#include "policy/review/sent_tools.h"

#include "policy/check/renamed_arguments.h"
#include "policy/check/tool_profiles.h"

namespace bartizan {

SentTools::SentTools(const Config& config, const KnownTools& listed) {
  const ToolProfiles profiles(config, {});
  for (const auto& [server, tools] : listed) {
    for (const ToolDefinition* tool : tools) {
      const auto profile = profiles.find(server, tool->name);
      const ToolDefinition* sent = tool;
      if (!profile->renames.empty()) {
        renamed_.push_back(renamed_tool(*tool, profile->renames));
        sent = renamed_.back().get();
      }
      if (sent != nullptr) tools_[server].push_back(sent);
    }
  }
}

}  // namespace bartizan
