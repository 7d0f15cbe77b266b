#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// What a credential says of its principal, where the configuration does not say it: an issuer's
/// claims, mapped to words of policy.
struct Claims {
  std::vector<std::string> roles;
  std::vector<std::string> permissions;  ///< Besides those of the roles.
  std::map<std::string, std::string> attributes;

  bool operator==(const Claims&) const = default;
};
using ClaimsPtr = std::shared_ptr<const Claims>;

/// Who calls, as one policy knows it: what policy judges of a caller. A value that its holder owns,
/// which may outlive the policy. `roles`, `permissions`, `trust` and `attributes` mean the same
/// under every policy; `role_indexes` and `index` are those of the policy that made it.
struct Principal {
  std::string id;
  ClaimsPtr claims;                         ///< Null where the configuration says who it is.
  std::vector<std::string> roles;           ///< Sorted, each once.
  std::vector<std::uint32_t> role_indexes;  ///< Of the configured `roles`, in `AccessTable`.
  /// Of the principal itself, in `AccessTable`; nothing for one that is not configured.
  std::optional<std::uint32_t> index;
  std::vector<std::string> permissions;  ///< Grants of all roles and of its claims, sorted.
  Trust trust = Trust::untrusted;        ///< The lowest of the roles.
  std::map<std::string, std::string> attributes;
};
using PrincipalPtr = std::shared_ptr<const Principal>;

std::string_view text(Trust trust);

using RoleConfigs = std::map<std::string, RoleConfig, std::less<>>;

/// A principal whom claims describe, under these roles. A role that is not configured grants
/// nothing, and whoever has one is untrusted.
Principal make_principal(const RoleConfigs& roles, std::string id, ClaimsPtr claims);

/// The principals of a configuration, with their roles and themselves numbered as `AccessTable`
/// numbers them.
std::map<std::string, Principal, std::less<>> make_principals(const Config& config);

}  // namespace bartizan
