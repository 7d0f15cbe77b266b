#include "policy/redact/redaction_rules.h"

#include <algorithm>
#include <utility>

#include "policy/text/qualified_name.h"

namespace bartizan {
namespace {

std::vector<Glob> globs_of(const std::vector<std::string>& patterns) {
  return {patterns.begin(), patterns.end()};
}

RedactionKeep compile(const RedactionException& keep, const DetectorSet& detectors) {
  RedactionKeep compiled{.tools = globs_of(keep.tools),
                         .detectors = detectors.select(keep.detectors),
                         .hosts = {},
                         .pointers = {},
                         .expires = keep.expires};
  for (const std::string& host : keep.hosts) {
    if (auto pattern = HostPattern::read(host)) compiled.hosts.push_back(std::move(*pattern));
  }
  for (const std::string& pointer : keep.pointers)
    compiled.pointers.push_back(parse_pointer(pointer));
  return compiled;
}

RedactionRule compile(const RedactionConfig& rule, const DetectorSet& detectors) {
  RedactionRule compiled{.name = rule.name,
                         .detectors = detectors.select(rule.detectors),
                         .carriers = std::vector<char>(kCarrierCount, 0),
                         .action = rule.action,
                         .roles = rule.roles,
                         .principals = rule.principals,
                         .tools = globs_of(rule.tools),
                         .pointers = {},
                         .keeps = {}};
  for (const std::string& pointer : rule.pointers)
    compiled.pointers.push_back(parse_pointer(pointer));
  for (const Carrier carrier : rule.in)
    compiled.carriers[static_cast<std::size_t>(carrier)] = 1;
  for (const auto& [name, keep] : rule.keep)
    compiled.keeps.push_back(compile(keep, detectors));
  return compiled;
}

bool is_in(const RedactionRule& rule, Carrier carrier) {
  return rule.carriers[static_cast<std::size_t>(carrier)] != 0;
}

}  // namespace

bool RedactionScope::is_of(const std::vector<Glob>& tools) const {
  if (tools.empty()) return true;
  if (tool.empty()) return false;
  const QualifiedName name(server, tool);
  return std::ranges::any_of(tools, [&](const Glob& glob) { return glob.matches(name.view()); });
}

RedactionRules::RedactionRules(const Config& config, std::shared_ptr<const ScanDatabase> database)
    : detectors_(config), database_(std::move(database)) {
  for (const auto& [name, rule] : config.redactions)
    rules_.push_back(compile(rule, detectors_));
}

std::vector<const RedactionRule*> RedactionRules::find(const RedactionScope& scope) const {
  const auto is_for = [&](const RedactionRule& rule) {
    if (rule.roles.empty() && rule.principals.empty()) return true;
    if (scope.principal == nullptr) return false;
    return std::ranges::find(rule.principals, scope.principal->id) != rule.principals.end() ||
           std::ranges::any_of(rule.roles, [&](const std::string& role) {
             return std::ranges::binary_search(scope.principal->roles, role);
           });
  };
  std::vector<const RedactionRule*> found;
  for (const RedactionRule& rule : rules_) {
    const bool is_here =
        is_in(rule, scope.carrier) || (scope.also.has_value() && is_in(rule, *scope.also));
    if (is_here && is_for(rule) && scope.is_of(rule.tools)) found.push_back(&rule);
  }
  return found;
}

}  // namespace bartizan
