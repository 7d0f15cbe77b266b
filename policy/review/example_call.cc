#include "policy/review/example_call.h"

#include <vector>

#include "policy/access/rule_set.h"
#include "policy/diff/diff_targets.h"
#include "policy/diff/edge_values.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

/// A name that no other pattern is likely to match.
constexpr std::string_view kAnyName = "any";

/// The names of that kind on a server.
std::vector<std::string> known_of(const KnownNames& names, TargetKind kind,
                                  const std::string& server) {
  if (kind != TargetKind::tool && kind != TargetKind::prompt) return {};
  const auto& all = kind == TargetKind::tool ? names.tools : names.prompts;
  const auto found = all.find(server);
  return found == all.end() ? std::vector<std::string>() : found->second;
}

/// Sets the first name of the first server that the pattern matches, or an invented one.
void set_target(const Config& config, const std::string& pattern, const KnownNames& names,
                DescribedCall& call) {
  const std::size_t slash = pattern.find('/');
  const Glob server(slash == std::string::npos ? "*" : pattern.substr(0, slash));
  const Glob whole(pattern);
  call.target = slash == std::string::npos ? std::string(kAnyName)
                                           : filled_pattern(pattern.substr(slash + 1), kAnyName);
  for (const auto& [name, entry] : config.servers) {
    if (!server.matches(name)) continue;
    if (call.server.empty()) call.server = name;
    for (const std::string& one : known_of(names, call.target_kind, name)) {
      if (!whole.matches(name + "/" + one)) continue;
      call.server = name;
      call.target = one;
      return;
    }
  }
  if (call.server.empty()) call.server = filled_pattern(pattern.substr(0, slash), kAnyName);
}

}  // namespace

KnownNames names_of(const KnownTools& tools) {
  KnownNames names;
  for (const auto& [server, definitions] : tools) {
    for (const ToolDefinition* definition : definitions)
      names.tools[server].push_back(definition->name);
  }
  return names;
}

DescribedCall witness_of(const Config& config, const RuleConfig& rule, const KnownNames& names) {
  DescribedCall call{.target_kind = target_kind(rule.target)};
  if (!rule.principals.empty() && !names_everyone(rule)) call.principal = rule.principals.front();
  if (!rule.roles.empty() && !names_everyone(rule)) call.roles = {rule.roles.front()};
  const std::string pattern = rule.patterns.empty() ? "*" : rule.patterns.front();
  if (call.target_kind == TargetKind::none) {
    call.method = pattern == "*" ? "logging/setLevel" : filled_pattern(pattern, kAnyName);
    return call;
  }
  call.method = method_of(call.target_kind);
  set_target(config, pattern, names, call);
  return call;
}

DescribedCall witness_of(const Config& config, const std::string& tool_pattern,
                         const std::string& role, const KnownNames& names) {
  DescribedCall call{.target_kind = TargetKind::tool,
                     .method = std::string(method_of(TargetKind::tool))};
  if (!role.empty()) call.roles = {role};
  set_target(config, tool_pattern, names, call);
  return call;
}

DescribedCall with_arguments(DescribedCall call, const std::map<std::string, std::string>& values) {
  call.arguments = arguments_with(values);
  return call;
}

}  // namespace bartizan
