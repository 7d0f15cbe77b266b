#include "policy/verdict/principal.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace bartizan {

std::string_view text(Proof proof) {
  switch (proof) {
    case Proof::none:
      return "none";
    case Proof::api_key:
      return "api_key";
    case Proof::configured:
      return "configured";
    case Proof::gateway:
      return "gateway";
  }
  return "none";
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

std::map<std::string, Principal, std::less<>> make_principals(const Config& config) {
  std::map<std::string, Principal, std::less<>> principals;
  for (const auto& [id, entry] : config.principals) {
    Principal& principal = principals[id];
    principal.id = id;
    principal.index = static_cast<std::uint32_t>(principals.size() - 1);
    principal.attributes = entry.attributes;
    const std::set<std::string> roles(entry.roles.begin(), entry.roles.end());
    std::set<std::string> permissions;
    // The lowest role counts; without a role there is nothing to trust.
    Trust trust = roles.empty() ? Trust::untrusted : Trust::system;
    for (const std::string& name : roles) {
      principal.roles.push_back(name);
      const auto role = config.roles.find(name);
      if (role == config.roles.end()) {
        trust = Trust::untrusted;
        continue;
      }
      principal.role_indexes.push_back(
          static_cast<std::uint32_t>(std::distance(config.roles.begin(), role)));
      permissions.insert(role->second.permissions.begin(), role->second.permissions.end());
      trust = std::min(trust, role->second.trust);
    }
    principal.permissions.assign(permissions.begin(), permissions.end());
    principal.trust = trust;
  }
  return principals;
}

}  // namespace bartizan
