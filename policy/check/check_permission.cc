#include "policy/check/check_permission.h"

#include <algorithm>
#include <string>

#include "config/permission.h"

namespace bartizan {

bool holds_permission(const Principal& principal, const std::string& permission) {
  return std::ranges::binary_search(principal.permissions, permission) ||
         std::ranges::any_of(principal.permissions, [&](const std::string& grant) {
           return grant.contains('*') && grants_permission(grant, permission);
         });
}

namespace {

/// The first that the principal lacks, by name; null where it has all.
const std::string* find_missing(const Principal& principal, const MergedProfile& profile) {
  const auto missing = std::ranges::find_if(
      profile.permissions,
      [&](const std::string& permission) { return !holds_permission(principal, permission); });
  return missing == profile.permissions.end() ? nullptr : &*missing;
}

}  // namespace

bool holds_permissions(const ToolProfiles& profiles, const Principal& principal,
                       std::string_view server, std::string_view tool) {
  return find_missing(principal, *profiles.find(server, tool)) == nullptr;
}

Decision check_permission(const ToolProfiles& profiles, const Call& call) {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  if (call.principal == nullptr) return Decision::deny(Reason::internal);
  const ToolProfiles::Found profile = profiles.find(call);
  const std::string* missing = find_missing(*call.principal, *profile);
  if (missing == nullptr) return Decision::pass();
  Decision denial = Decision::deny(Reason::permission_missing);
  denial.permission = *missing;
  return denial;
}

}  // namespace bartizan
