#include "policy/verdict/principal.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace bartizan {
namespace {

/// Gives the principal what its roles grant.
void add_roles(Principal& principal, std::span<const std::string> names, const RoleConfigs& roles) {
  const std::set<std::string> sorted(names.begin(), names.end());
  std::set<std::string> permissions(principal.permissions.begin(), principal.permissions.end());
  for (const std::string& name : sorted) {
    principal.roles.push_back(name);
    const auto role = roles.find(name);
    if (role == roles.end()) continue;
    principal.role_indexes.push_back(
        static_cast<std::uint32_t>(std::distance(roles.begin(), role)));
    permissions.insert(role->second.permissions.begin(), role->second.permissions.end());
  }
  principal.permissions.assign(permissions.begin(), permissions.end());
  principal.trust = trust_of_roles(principal.roles, roles).trust;
}

}  // namespace

RoleTrust trust_of_roles(std::span<const std::string> names, const RoleConfigs& roles) {
  RoleTrust lowest;
  bool is_stated = false;
  for (const std::string& name : names) {
    const auto role = roles.find(name);
    const std::optional<Trust> trust =
        role == roles.end() ? std::optional(Trust::untrusted) : role->second.trust;
    if (!trust.has_value() || (is_stated && lowest.trust <= *trust)) continue;
    lowest = {.trust = *trust, .role = name};
    is_stated = true;
  }
  return lowest;
}

std::string_view text(Trust trust) {
  switch (trust) {
    case Trust::untrusted:
      return "untrusted";
    case Trust::community:
      return "community";
    case Trust::verified:
      return "verified";
    case Trust::system:
      return "system";
  }
  return "untrusted";
}

Principal make_principal(const RoleConfigs& roles, std::string id, ClaimsPtr claims) {
  Principal principal{.id = std::move(id),
                      .claims = std::move(claims),
                      .roles = {},
                      .role_indexes = {},
                      .index = {},
                      .permissions = {},
                      .attributes = {}};
  if (principal.claims == nullptr) return principal;
  principal.permissions = principal.claims->permissions;
  principal.attributes = principal.claims->attributes;
  add_roles(principal, principal.claims->roles, roles);
  return principal;
}

std::map<std::string, Principal, std::less<>> make_principals(const Config& config) {
  std::map<std::string, Principal, std::less<>> principals;
  for (const auto& [id, entry] : config.principals) {
    Principal& principal = principals[id];
    principal.id = id;
    principal.index = static_cast<std::uint32_t>(principals.size() - 1);
    principal.attributes = entry.attributes;
    add_roles(principal, entry.roles, config.roles);
  }
  return principals;
}

}  // namespace bartizan
