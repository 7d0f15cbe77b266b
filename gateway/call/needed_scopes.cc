#include "gateway/call/needed_scopes.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gateway/identity/grant_notes.h"
#include "gateway/identity/protected_resource.h"

namespace bartizan {
namespace {

/// Scopes of one issuer or front door that are tried.
constexpr std::size_t kScopesMax = 64;
/// The claims that hold scopes; a list under another name is no scope that a client can ask for.
constexpr std::array<std::string_view, 2> kScopeClaims{"scope", "scp"};

using Scopes = std::vector<std::string>;

/// By the scope, what it gives to whoever has it.
using Gains = std::map<std::string, Claims>;

/// The scopes of an issuer that stand for something, and that the token has not.
Gains missing_scopes(const IssuerConfig& issuer, const TokenFacts& token) {
  Gains gains;
  const auto add = [&](const ClaimMap& map, std::vector<std::string> Claims::* member) {
    for (const std::string_view claim : kScopeClaims) {
      const auto values = map.find(std::string(claim));
      if (values == map.end()) continue;
      for (const auto& [scope, stands_for] : values->second) {
        const bool is_there = std::ranges::find(token.scopes, scope) != token.scopes.end();
        if (is_there || (gains.size() == kScopesMax && !gains.contains(scope))) continue;
        std::vector<std::string>& all = gains[scope].*member;
        all.insert(all.end(), stands_for.begin(), stands_for.end());
      }
    }
  };
  add(issuer.roles, &Claims::roles);
  add(issuer.permissions, &Claims::permissions);
  return gains;
}

/// The scopes of a front door that the token has not, and by which it would have roles of its user.
Gains missing_scopes(const FrontDoorConfig& door, const TokenFacts& token) {
  Gains gains;
  for (const auto& [scope, roles] : door.scopes) {
    const bool is_there = std::ranges::find(token.scopes, scope) != token.scopes.end();
    if (is_there || gains.size() == kScopesMax) continue;
    for (const std::string& role : roles) {
      const bool is_his = std::ranges::find(token.user_roles, role) != token.user_roles.end();
      if (is_his) gains[scope].roles.push_back(role);
    }
  }
  return gains;
}

/// The claims that the caller would have with these scopes beside those of now.
ClaimsPtr with_scopes(const Claims& claims, const Gains& gains, const Scopes& scopes) {
  auto more = std::make_shared<Claims>(claims);
  const auto add = [](std::vector<std::string>& into, const std::vector<std::string>& names) {
    into.insert(into.end(), names.begin(), names.end());
  };
  const auto sort = [](std::vector<std::string>& names) {
    std::ranges::sort(names);
    const auto rest = std::ranges::unique(names);
    names.erase(rest.begin(), rest.end());
  };
  for (const std::string& scope : scopes) {
    const auto gain = gains.find(scope);
    if (gain == gains.end()) continue;
    add(more->roles, gain->second.roles);
    add(more->permissions, gain->second.permissions);
  }
  sort(more->roles);
  sort(more->permissions);
  return more;
}

/// Whether the call could be permitted by its names to whoever has these scopes too.
bool would_help(const CallFrame& frame, const Gains& gains, const Scopes& scopes) {
  const Principal& caller = frame.principal();
  const Principal other =
      frame.policy().principal_of(caller.id, with_scopes(*caller.claims, gains, scopes));
  Call call = frame.call;
  call.principal = &other;
  call.facts.tool = nullptr;
  call.facts.known = {};
  return frame.policy().shows(call);
}

/// As few of them as help. Where one of several would do, it is the one that gives least.
Scopes least_scopes(const CallFrame& frame, const Gains& gains, Scopes scopes) {
  const auto weight = [&gains](const std::string& scope) {
    const auto gain = gains.find(scope);
    return gain == gains.end() ? 0 : gain->second.roles.size() + gain->second.permissions.size();
  };
  std::ranges::sort(scopes, [&weight](const std::string& a, const std::string& b) {
    return weight(a) == weight(b) ? a < b : weight(a) > weight(b);
  });
  for (std::size_t at = 0; at < scopes.size();) {
    Scopes fewer = scopes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
    if (would_help(frame, gains, fewer)) {
      scopes = std::move(fewer);
    } else {
      ++at;
    }
  }
  return scopes;
}

/// What more scopes would give a caller at an endpoint; nothing where whoever gave the token is not
/// accepted there.
Gains gains_at(const Config& config, const EndpointConfig& endpoint, const Authenticated& caller) {
  const Credential& credential = caller.credential;
  if (credential.kind == CredentialKind::front_door) {
    const auto doors = front_doors_at(config, endpoint);
    const auto door = std::ranges::find(doors, credential.name, &FrontDoorConfig::name);
    return door == doors.end() ? Gains() : missing_scopes(**door, *caller.token);
  }
  const auto issuers = issuers_at(config, endpoint);
  const auto issuer = std::ranges::find(issuers, credential.name, &IssuerConfig::name);
  return issuer == issuers.end() ? Gains() : missing_scopes(**issuer, *caller.token);
}

}  // namespace

std::optional<NeededScopes> find_needed_scopes(const CallFrame& frame, const Decision& decision) {
  const Authenticated& caller = frame.inbound.caller;
  const bool is_about_leave =
      decision.reason == Reason::no_matching_rule || decision.reason == Reason::permission_missing;
  if (!is_about_leave || decision.is_hidden || caller.token == nullptr ||
      caller.principal->claims == nullptr || frame.call.target_kind == TargetKind::none) {
    return std::nullopt;
  }
  const Config& config = frame.snapshot().config;
  const auto endpoint = config.endpoints.find(frame.call.facts.endpoint.value_or(""));
  if (endpoint == config.endpoints.end()) return std::nullopt;
  const Gains gains = gains_at(config, endpoint->second, caller);
  Scopes scopes;
  for (const auto& [scope, gain] : gains)
    scopes.push_back(scope);
  // What is refused for its arguments is not for want of a scope.
  if (scopes.empty() || would_help(frame, gains, {})) return std::nullopt;
  if (!would_help(frame, gains, scopes)) return std::nullopt;
  scopes = least_scopes(frame, gains, std::move(scopes));
  GrantNotes* const notes = frame.worker.gateway.grant_notes.get();
  if (notes != nullptr && caller.credential.kind == CredentialKind::front_door) {
    notes->note_step_up(caller.credential.token_id, frame.call.facts.now);
  }
  std::ranges::sort(scopes);
  const std::string missing = fmt::format("{}", fmt::join(scopes, " "));
  // A client that asks for these alone must not lose what it has, and come back for that.
  scopes.insert(scopes.end(), caller.token->scopes.begin(), caller.token->scopes.end());
  std::ranges::sort(scopes);
  return NeededScopes{
      .detail = "scope " + missing,
      .status = std::make_shared<const AnswerStatus>(AnswerStatus{
          .status = 403,
          .headers = {{"WWW-Authenticate", scope_challenge_of(endpoint->second, scopes)}}})};
}

}  // namespace bartizan
