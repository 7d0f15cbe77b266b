#include "policy/sanitise/sanitising_rules.h"

#include <algorithm>
#include <utility>

namespace bartizan {
namespace {

SanitisingRule compile(const std::string& name, const SanitisingConfig& rule) {
  SanitisingRule compiled{.hidden = rule.hidden,
                          .text = rule.text,
                          .markup = rule.markup,
                          .injection = rule.injection,
                          .name = name,
                          .hosts = {},
                          .ui_origins = {},
                          .carriers = std::vector<char>(kCarrierCount, 0),
                          .roles = rule.roles,
                          .tools = {rule.tools.begin(), rule.tools.end()}};
  for (const Carrier carrier : rule.in)
    compiled.carriers[static_cast<std::size_t>(carrier)] = 1;
  for (const std::string& host : rule.hosts) {
    if (auto pattern = HostPattern::read(host)) compiled.hosts.push_back(std::move(*pattern));
  }
  for (const std::string& origin : rule.ui_origins) {
    if (auto parsed = parse_ui_origin(origin)) compiled.ui_origins.push_back(std::move(*parsed));
  }
  return compiled;
}

/// Raises a setting to the stronger of two. The first rule with that setting is noted.
template <class Wanted>
void raise(Wanted& wanted, std::string_view& by, Wanted more, std::string_view name) {
  if (more <= wanted) return;
  wanted = more;
  by = name;
}

bool is_about(const SanitisingRule& rule, const RedactionScope& scope) {
  const auto is_in = [&](Carrier carrier) {
    return rule.carriers[static_cast<std::size_t>(carrier)] != 0;
  };
  const bool is_here = is_in(scope.carrier) || (scope.also.has_value() && is_in(*scope.also));
  if (!is_here || !scope.is_of(rule.tools)) return false;
  if (rule.roles.empty()) return true;
  return scope.principal != nullptr &&
         std::ranges::any_of(rule.roles, [&](const std::string& role) {
           return std::ranges::binary_search(scope.principal->roles, role);
         });
}

}  // namespace

bool Sanitising::lets_lead_to(const UrlHost& host) const {
  return std::ranges::all_of(of_markup, [&](const SanitisingRule* rule) {
    return std::ranges::any_of(rule->hosts,
                               [&](const HostPattern& pattern) { return pattern.matches(host); });
  });
}

SanitisingRules::SanitisingRules(const Config& config) {
  for (const auto& [name, rule] : config.sanitisings)
    rules_.push_back(compile(name, rule));
}

std::optional<Sanitising> SanitisingRules::find(const RedactionScope& scope) const {
  std::optional<Sanitising> found;
  for (const SanitisingRule& rule : rules_) {
    if (!is_about(rule, scope)) continue;
    if (!found.has_value()) found.emplace();
    found->text = std::max(found->text, rule.text);
    raise(found->hidden, found->hidden_by, rule.hidden, rule.name);
    raise(found->markup, found->markup_by, rule.markup, rule.name);
    raise(found->injection, found->injection_by, rule.injection, rule.name);
    if (rule.markup != ActiveMarkup::keep) found->of_markup.push_back(&rule);
  }
  return found;
}

Hiding SanitisingRules::residual_hiding(const RedactionScope& scope) const {
  const std::optional<Sanitising> wanted = find(scope);
  const HiddenText hidden = wanted.has_value() ? wanted->hidden : HiddenText::keep;
  const bool is_source = wanted.has_value() && wanted->text == SanitisedText::source;
  if (is_source) return Hiding::characters;
  if (hidden == HiddenText::show) return Hiding::marks;
  return hidden == HiddenText::keep ? Hiding::characters : Hiding::none;
}

}  // namespace bartizan
