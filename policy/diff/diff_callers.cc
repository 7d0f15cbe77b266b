#include "policy/diff/diff_callers.h"

#include <set>

namespace bartizan {
namespace {

/// Adds principals whose roles differ in the other configuration, or that only one configuration
/// has.
void add_changed(const Config& one, const Config& other, std::set<std::string>& principals) {
  for (const auto& [id, principal] : one.principals) {
    const auto found = other.principals.find(id);
    if (found == other.principals.end() || found->second.roles != principal.roles)
      principals.insert(id);
  }
}

}  // namespace

std::vector<DiffCaller> find_diff_callers(const Config& older, const Config& newer) {
  std::set<std::string> roles;
  std::set<std::string> principals;
  for (const Config* config : {&older, &newer}) {
    for (const auto& [name, role] : config->roles)
      roles.insert(name);
    for (const auto& [name, rule] : config->rules)
      principals.insert(rule.principals.begin(), rule.principals.end());
    // A principal with a single role may do exactly as much as that role.
    for (const auto& [id, principal] : config->principals) {
      if (principal.roles.size() != 1) principals.insert(id);
    }
  }
  principals.erase("*");
  add_changed(older, newer, principals);
  add_changed(newer, older, principals);
  std::vector<DiffCaller> callers;
  for (const std::string& role : roles)
    callers.push_back({.role = role});
  for (const std::string& principal : principals)
    callers.push_back({.principal = principal});
  return callers;
}

std::vector<PolicyCase> cases_of_roles(const Config& older, const Config& newer, const Config& of) {
  std::vector<PolicyCase> cases;
  for (const Config* config : {&older, &newer}) {
    for (const auto& [name, role] : config->roles) {
      if (of.roles.contains(name)) cases.push_back({.call = {.roles = {name}}});
    }
  }
  return cases;
}

}  // namespace bartizan
