#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The properties of a principal that no configuration names: an issuer's claims, mapped to roles,
/// permissions and attributes.
struct Claims {
  std::vector<std::string> roles;
  std::vector<std::string> permissions;  ///< In addition to those of the roles.
  std::map<std::string, std::string> attributes;

  bool operator==(const Claims&) const = default;
};
using ClaimsPtr = std::shared_ptr<const Claims>;

/// The caller, as one policy knows it. Its holder owns the value, which may outlive the policy.
/// `roles`, `permissions`, `trust` and `attributes` mean the same under every policy.
/// `role_indexes` and `index` belong to the policy that made it.
struct Principal {
  std::string id;
  ClaimsPtr claims;                         ///< Null if the configuration names the principal.
  std::vector<std::string> roles;           ///< Sorted, each once.
  std::vector<std::uint32_t> role_indexes;  ///< Of the configured `roles`, in `AccessTable`.
  /// Of the principal itself, in `AccessTable`; nothing for one that is not configured.
  std::optional<std::uint32_t> index;
  std::vector<std::string> permissions;  ///< Grants of all roles and of its claims, sorted.
  Trust trust = Trust::untrusted;        ///< See `trust_of_roles`.
  std::map<std::string, std::string> attributes;
};
using PrincipalPtr = std::shared_ptr<const Principal>;

std::string_view text(Trust trust);

using RoleConfigs = std::map<std::string, RoleConfig, std::less<>>;

/// How far a caller is trusted, and the role that says so.
struct RoleTrust {
  Trust trust = Trust::untrusted;
  std::string_view role = {};  ///< Empty where no role states a trust. Lifetime: views the names.
};
/// The lowest trust that these roles state. A role that states none does not lower it. A role that
/// is not configured is untrusted; and so is a caller none of whose roles states a trust.
RoleTrust trust_of_roles(std::span<const std::string> names, const RoleConfigs& roles);

/// A principal whom claims describe, under these roles. A role that is not configured grants
/// nothing, and whoever has one is untrusted.
Principal make_principal(const RoleConfigs& roles, std::string id, ClaimsPtr claims);

/// The principals of a configuration, with their roles and themselves numbered as `AccessTable`
/// numbers them.
std::map<std::string, Principal, std::less<>> make_principals(const Config& config);

}  // namespace bartizan
