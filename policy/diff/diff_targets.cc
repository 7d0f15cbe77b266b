#include "policy/diff/diff_targets.h"

#include "policy/access/rule_set.h"
#include "policy/check/check_access.h"
#include "policy/diff/edge_values.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

constexpr MethodId kLastMethod = MethodId::notifications_tasks;

/// A name that no other pattern is likely to match.
std::string filled(std::string_view pattern) {
  return filled_pattern(pattern, "any");
}

std::string label_of(TargetKind kind, const std::string& written) {
  switch (kind) {
    case TargetKind::tool:
      return written;
    case TargetKind::prompt:
      return "prompt " + written;
    case TargetKind::resource:
      return "resource " + written;
    case TargetKind::none:
      break;
  }
  return "method " + written;
}

/// A pattern over servers stands for a target of each matching server.
void add_target(const Config& config, TargetKind kind, const std::string& pattern,
                std::set<DiffTarget>& targets) {
  if (kind == TargetKind::none) {
    if (pattern != "*") {
      targets.insert({kind, "", pattern, label_of(kind, pattern)});
      return;
    }
    for (int id = 0; id <= static_cast<int>(kLastMethod); ++id) {
      const Method& method = find_method(static_cast<MethodId>(id));
      if (!needs_method_rule(method.id)) continue;
      const std::string name(method.name);
      targets.insert({kind, "", name, label_of(kind, name)});
    }
    return;
  }
  const std::size_t slash = pattern.find('/');
  const Glob server(slash == std::string::npos ? "*" : pattern.substr(0, slash));
  const std::string name = slash == std::string::npos ? "*" : pattern.substr(slash + 1);
  if (server.is_literal()) {
    if (config.servers.contains(server.pattern()))
      targets.insert(
          {kind, server.pattern(), filled(name), label_of(kind, server.pattern() + "/" + name)});
    return;
  }
  for (const auto& [known, entry] : config.servers) {
    if (!server.matches(known)) continue;
    targets.insert({kind, known, filled(name), label_of(kind, known + "/" + name)});
  }
}

void add_targets(const Config& config, std::set<DiffTarget>& targets) {
  for (const auto& [server, tools] : config.pins.tools) {
    for (const auto& [tool, pinned] : tools)
      targets.insert({TargetKind::tool, server, tool, server + "/" + tool});
  }
  for (const auto& [name, rule] : config.rules) {
    for (const std::string& pattern : rule.patterns)
      add_target(config, target_kind(rule.target), pattern, targets);
  }
  for (const ToolProfile& profile : config.tools)
    add_target(config, TargetKind::tool, profile.pattern, targets);
}

}  // namespace

std::set<DiffTarget> find_diff_targets(const Config& older, const Config& newer) {
  std::set<DiffTarget> targets;
  add_targets(older, targets);
  add_targets(newer, targets);
  return targets;
}

std::string_view method_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::tool:
      return "tools/call";
    case TargetKind::prompt:
      return "prompts/get";
    default:
      return "resources/read";
  }
}

}  // namespace bartizan
