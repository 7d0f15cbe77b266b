#pragma once

#include <string>
#include <vector>

#include "config/auth_config.h"

namespace bartizan {

/// What a value of a claim gives to whoever has an access token with it.
struct ClaimGrant {
  enum class Source : std::uint8_t { issuer, front_door } source = Source::issuer;
  std::string name = {};  ///< Of the issuer or the front door.
  std::string claim = {};
  std::string value = {};
  std::string role = {};
  /// Of a front door: the token has one of these scopes. Empty: with any.
  std::vector<std::string> scopes = {};
};

/// The claims that lead to each of these roles, in the order of the configuration: what
/// `map_claims` makes of a token. A role that a front door gives with no scope is left out.
std::vector<ClaimGrant> claims_leading_to(const AuthConfig& auth,
                                          const std::vector<std::string>& roles);

}  // namespace bartizan
