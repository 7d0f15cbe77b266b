#include "policy/with_learned.h"

#include <algorithm>
#include <utility>

namespace bartizan {

Config with_learned(const Config& config, const LearnedPolicy& learned) {
  Config next = config;
  std::erase_if(next.rules, [](const auto& rule) { return rule.second.effect == Effect::permit; });
  for (const LearnedRule& rule : learned.rules)
    next.rules.insert_or_assign(rule.rule.name, rule.rule);
  std::erase_if(next.tools, [&learned](const ToolProfile& profile) {
    return std::ranges::find(learned.replaced, profile.pattern) != learned.replaced.end();
  });
  for (const LearnedTool& tool : learned.tools) {
    ToolProfile profile = tool.profile;
    for (const LearnedArgument& argument : tool.arguments)
      profile.arguments.push_back(argument.argument);
    next.tools.push_back(std::move(profile));
  }
  std::ranges::sort(next.tools, {}, &ToolProfile::pattern);
  for (const PathConfig& path : learned.paths)
    next.paths.insert_or_assign(path.name, path);
  return next;
}

}  // namespace bartizan
