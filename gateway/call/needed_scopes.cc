#include "gateway/call/needed_scopes.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "gateway/identity/protected_resource.h"

namespace bartizan {
namespace {

/// Scopes of one issuer that are tried.
constexpr std::size_t kScopesMax = 64;
/// The claims that hold scopes; a list under another name is no scope that a client can ask for.
constexpr std::array<std::string_view, 2> kScopeClaims{"scope", "scp"};

using Scopes = std::vector<std::string>;

const std::vector<std::string>* mapped(const ClaimMap& map, std::string_view claim,
                                       const std::string& scope) {
  const auto values = map.find(std::string(claim));
  if (values == map.end()) return nullptr;
  const auto found = values->second.find(scope);
  return found == values->second.end() ? nullptr : &found->second;
}

/// The scopes that stand for something, and that the token has not.
Scopes missing_scopes(const IssuerConfig& issuer, const TokenFacts& token) {
  std::set<std::string> scopes;
  for (const ClaimMap* map : {&issuer.roles, &issuer.permissions}) {
    for (const std::string_view claim : kScopeClaims) {
      const auto values = map->find(std::string(claim));
      if (values == map->end()) continue;
      for (const auto& [scope, stands_for] : values->second) {
        const bool is_there = std::ranges::find(token.scopes, scope) != token.scopes.end();
        if (!is_there && scopes.size() < kScopesMax) scopes.insert(scope);
      }
    }
  }
  return {scopes.begin(), scopes.end()};
}

/// The claims that the caller would have with these scopes beside those of now.
ClaimsPtr with_scopes(const Claims& claims, const IssuerConfig& issuer, const Scopes& scopes) {
  auto more = std::make_shared<Claims>(claims);
  const auto add = [](std::vector<std::string>& into, const std::vector<std::string>* names) {
    if (names == nullptr) return;
    into.insert(into.end(), names->begin(), names->end());
  };
  const auto sort = [](std::vector<std::string>& names) {
    std::ranges::sort(names);
    const auto rest = std::ranges::unique(names);
    names.erase(rest.begin(), rest.end());
  };
  for (const std::string& scope : scopes) {
    for (const std::string_view claim : kScopeClaims) {
      add(more->roles, mapped(issuer.roles, claim, scope));
      add(more->permissions, mapped(issuer.permissions, claim, scope));
    }
  }
  sort(more->roles);
  sort(more->permissions);
  return more;
}

/// Whether the call could be permitted by its names to whoever has these scopes too.
bool would_help(const CallFrame& frame, const IssuerConfig& issuer, const Scopes& scopes) {
  const Principal& caller = frame.principal();
  const Principal other =
      frame.policy().principal_of(caller.id, with_scopes(*caller.claims, issuer, scopes));
  Call call = frame.call;
  call.principal = &other;
  call.facts.tool = nullptr;
  call.facts.known = {};
  return frame.policy().shows(call);
}

/// As few of them as help.
Scopes least_scopes(const CallFrame& frame, const IssuerConfig& issuer, Scopes scopes) {
  for (std::size_t at = 0; at < scopes.size();) {
    Scopes fewer = scopes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
    if (would_help(frame, issuer, fewer)) {
      scopes = std::move(fewer);
    } else {
      ++at;
    }
  }
  return scopes;
}

}  // namespace

std::shared_ptr<const AnswerStatus> needed_scopes(const CallFrame& frame,
                                                  const Decision& decision) {
  const Authenticated& caller = frame.inbound.caller;
  const bool is_about_leave =
      decision.reason == Reason::no_matching_rule || decision.reason == Reason::permission_missing;
  if (!is_about_leave || decision.is_hidden || caller.token == nullptr ||
      caller.principal->claims == nullptr || frame.call.target_kind == TargetKind::none) {
    return nullptr;
  }
  const Config& config = frame.snapshot().config;
  const auto endpoint = config.endpoints.find(frame.call.facts.endpoint.value_or(""));
  if (endpoint == config.endpoints.end()) return nullptr;
  const auto issuers = issuers_at(config, endpoint->second);
  const auto issuer = std::ranges::find(issuers, caller.credential.name, &IssuerConfig::name);
  if (issuer == issuers.end()) return nullptr;
  Scopes scopes = missing_scopes(**issuer, *caller.token);
  // What is refused for its arguments is not for want of a scope.
  if (scopes.empty() || would_help(frame, **issuer, {})) return nullptr;
  if (!would_help(frame, **issuer, scopes)) return nullptr;
  scopes = least_scopes(frame, **issuer, std::move(scopes));
  // A client that asks for these alone must not lose what it has, and come back for that.
  scopes.insert(scopes.end(), caller.token->scopes.begin(), caller.token->scopes.end());
  std::ranges::sort(scopes);
  return std::make_shared<const AnswerStatus>(AnswerStatus{
      .status = 403,
      .headers = {{"WWW-Authenticate", scope_challenge_of(endpoint->second, scopes)}}});
}

}  // namespace bartizan
