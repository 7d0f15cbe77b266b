#include "gateway/command/token_roles.h"

#include <algorithm>
#include <string_view>

namespace bartizan {
namespace {

using Source = ClaimGrant::Source;

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// The claims of a provider that grant that role.
std::vector<ClaimGrant> find_grants(const IssuerConfig& issuer, const std::string& role) {
  std::vector<ClaimGrant> grants;
  for (const auto& [claim, meanings] : issuer.roles) {
    for (const auto& [value, roles] : meanings) {
      if (has(roles, role))
        grants.push_back({.name = issuer.name, .claim = claim, .value = value, .role = role});
    }
  }
  return grants;
}

}  // namespace

std::vector<ClaimGrant> claims_leading_to(const AuthConfig& auth,
                                          const std::vector<std::string>& roles) {
  std::vector<ClaimGrant> all;
  for (const std::string& role : roles) {
    for (const IssuerConfig& issuer : auth.issuers) {
      for (ClaimGrant& grant : find_grants(issuer, role))
        all.push_back(std::move(grant));
    }
    for (const FrontDoorConfig& door : auth.front_doors) {
      std::vector<std::string> scopes;
      for (const auto& [scope, gives] : door.scopes) {
        if (has(gives, role)) scopes.push_back(scope);
      }
      if (scopes.empty() && !door.scopes.empty()) continue;
      for (ClaimGrant& grant : find_grants(door.provider, role)) {
        grant.source = Source::front_door;
        grant.name = door.name;
        grant.scopes = scopes;
        all.push_back(std::move(grant));
      }
    }
  }
  return all;
}

}  // namespace bartizan
