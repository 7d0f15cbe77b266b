#include "gateway/console/console_access.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gateway/identity/bearer_token.h"
#include "gateway/runtime/clock.h"
#include "policy/access/approval_check.h"
#include "schemas/base/contains.h"
#include "schemas/base/secret_text.h"

namespace bartizan {

ConsoleAccess console_access(const Snapshot& snapshot, const Principal& principal) {
  const auto& console = snapshot.config.console;
  if (!console.has_value()) return ConsoleAccess::none;
  const bool is_operator = std::ranges::any_of(
      console->roles, [&](const std::string& role) { return contains(principal.roles, role); });
  if (is_operator) return ConsoleAccess::everything;
  const bool approves = std::ranges::any_of(
      snapshot.policy->approval_terms(),
      [&](const auto& one) { return may_approve(one.second, principal.id, principal.roles); });
  return approves ? ConsoleAccess::approvals : ConsoleAccess::none;
}

std::string_view home_of(ConsoleAccess access) {
  return access == ConsoleAccess::everything ? "/" : "/approvals";
}

Task<Authentication> prove_console_key(Loop& loop, SnapshotPtr snapshot, std::string_view key,
                                       std::string_view peer) {
  const auto refused = [] {
    return std::unexpected(
        AuthenticationFailure{Reason::credentials_invalid, "the console takes API keys only"});
  };
  // A token was issued to an MCP client for calls, and not to its user for the console.
  if (!snapshot->config.auth.issuers.empty() && is_shaped_as_jwt(key)) co_return refused();
  std::string authorization = "Bearer ";
  authorization += key;
  auto proved = co_await snapshot->authenticator.prove(
      loop, {.authorization = authorization, .peer = peer}, seconds_now());
  wipe(authorization.data(), authorization.size());
  if (proved.has_value() && proved->credential.kind != CredentialKind::api_key) co_return refused();
  co_return proved;
}

}  // namespace bartizan
