#pragma once

#include <string>
#include <vector>

#include "config/auth_config.h"

namespace bartizan {

/// A role that an access token with this claim value gets.
struct ClaimGrant {
  enum class Source : std::uint8_t { issuer, front_door } source = Source::issuer;
  std::string name = {};  ///< Of the issuer or front door.
  std::string claim = {};
  std::string value = {};
  std::string role = {};
  /// For a front door: the token needs one of these scopes. Empty: any.
  std::vector<std::string> scopes = {};
};

/// The claims that lead to each of these roles, in the order of the configuration, as `map_claims`
/// maps them. Roles that a front door grants to no scope are left out.
std::vector<ClaimGrant> claims_leading_to(const AuthConfig& auth,
                                          const std::vector<std::string>& roles);

}  // namespace bartizan
