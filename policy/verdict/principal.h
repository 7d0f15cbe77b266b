#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// Who calls. Built by `compile_policy` from the configuration and nowhere else; a request gets one
/// only from `authenticate`, so no failure there can end as a principal.
///
/// Lifetime: as long as its policy.
struct Principal {
  std::string id;
  std::vector<std::string> roles;           ///< Sorted, each once.
  std::vector<std::uint32_t> role_indexes;  ///< Of `roles`, as `AccessTable` numbers them.
  std::uint32_t index = 0;                  ///< Of the principal itself.
  std::vector<std::string> permissions;     ///< Grants of all roles, sorted.
  Trust trust = Trust::untrusted;           ///< The lowest of the roles.
  std::map<std::string, std::string> attributes;
};

/// How a principal was proved, as the record states it.
enum class Proof : std::uint8_t { none, api_key, configured, gateway };
std::string_view text(Proof proof);
std::string_view text(Trust trust);

/// The principals of a configuration, with their roles and themselves numbered as `AccessTable`
/// numbers them.
std::map<std::string, Principal, std::less<>> make_principals(const Config& config);

}  // namespace bartizan
