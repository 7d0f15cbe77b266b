#include "policy/check_permission.h"

#include <algorithm>

namespace bartizan {

bool holds_permissions(const ToolProfiles& profiles, const Principal& principal,
                       std::string_view server, std::string_view tool) {
  // Both lists are sorted, each entry once.
  return std::ranges::includes(principal.permissions, profiles.find(server, tool)->permissions);
}

Decision check_permission(const ToolProfiles& profiles, const Call& call) {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  if (call.principal == nullptr) return Decision::deny(Reason::internal);
  if (!holds_permissions(profiles, *call.principal, call.server, call.target)) {
    return Decision::deny(Reason::permission_missing);
  }
  return Decision::pass();
}

}  // namespace bartizan
