#include "gateway/identity/authenticate.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gateway/identity/api_key.h"
#include "gateway/identity/certificate.h"
#include "gateway/identity/front_door_verifier.h"
#include "gateway/identity/issuer_verifier.h"
#include "gateway/identity/named_principal.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/identity/socket_peer.h"

namespace bartizan {
namespace {

std::unexpected<AuthenticationFailure> refuse(Reason reason, std::string detail) {
  return std::unexpected(AuthenticationFailure{reason, std::move(detail)});
}

/// The reason that an operator excludes an authenticated caller; nothing if none does.
std::optional<AuthenticationFailure> refusal_by_operator(const RevocationTable* table,
                                                         std::string_view id,
                                                         const Credential& credential) {
  const Reason reason = table == nullptr ? Reason::none : table->refusal_of(id, credential);
  if (reason == Reason::none) return std::nullopt;
  if (reason == Reason::blocked) {
    return AuthenticationFailure{reason,
                                 fmt::format("an operator blocked the principal \"{}\"", id)};
  }
  const bool is_key = credential.kind == CredentialKind::api_key && !credential.name.empty();
  const std::string shown = is_key ? fmt::format("the key \"{}\"", credential.name) : "the token";
  return AuthenticationFailure{
      reason,
      fmt::format("an operator revoked the principal \"{}\" or {}: see bartizan revocations", id,
                  shown)};
}

std::vector<VerifierPtr> make_verifiers(const AuthConfig& config, const VerifierParts& parts) {
  std::vector<VerifierPtr> verifiers;
  for (const CredentialKindEntry& entry : kCredentialKinds) {
    if (auto verifier = entry.make(config, parts)) verifiers.push_back(std::move(verifier));
  }
  return verifiers;
}

// Tokens of front doors are recognised by their prefix. A certificate comes last: with a token, it
// only binds the token.
constexpr std::array<CredentialKindEntry, 7> kEntries{
    {{.kind = CredentialKind::local_user, .make = make_local_user_verifier},
     {.kind = CredentialKind::configured, .make = make_configured_verifier},
     {.kind = CredentialKind::front_door, .make = make_front_door_verifier},
     {.kind = CredentialKind::api_key, .make = make_api_key_verifier},
     {.kind = CredentialKind::issuer, .make = make_issuer_verifier},
     {.kind = CredentialKind::socket, .make = make_socket_peer_verifier},
     {.kind = CredentialKind::certificate, .make = make_certificate_verifier}}};

}  // namespace

const std::span<const CredentialKindEntry> kCredentialKinds = kEntries;

Authenticator::Authenticator(const AuthConfig& config, std::shared_ptr<const Policy> policy,
                             LivingPrincipals& living, const VerifierParts& parts)
    : Authenticator(make_verifiers(config, parts), std::move(policy), living, parts) {}

Authenticator::Authenticator(std::vector<VerifierPtr> verifiers,
                             std::shared_ptr<const Policy> policy, LivingPrincipals& living,
                             const VerifierParts& parts)
    : verifiers_(std::move(verifiers)),
      accepted_(parts.accepted),
      revocations_(parts.revocations),
      policy_(std::move(policy)),
      living_(&living) {}

Task<Authentication> Authenticator::prove(Loop& loop, Credentials credentials,
                                          std::int64_t now) const {
  // A token in a URL gets into the logs of every hop. The sender must learn that at once.
  const bool has_query = credentials.head != nullptr;
  if (has_query && credentials.head->query().find("access_token=") != std::string_view::npos) {
    return Task<Authentication>::ready(
        refuse(Reason::credentials_invalid, "a token in the URL is never accepted"));
  }
  if (!accepted_->has(credentials.endpoint)) {
    return Task<Authentication>::ready(
        refuse(Reason::credentials_invalid, "there is no such endpoint any more"));
  }
  const auto shown = std::ranges::find_if(verifiers_, [&](const VerifierPtr& verifier) {
    return accepted_->accepts(credentials.endpoint, verifier->kind()) &&
           verifier->is_shown(credentials);
  });
  if (shown == verifiers_.end()) {
    return Task<Authentication>::ready(refuse(
        Reason::unauthenticated,
        has_query ? "no Authorization header" : "the configuration accepts nothing that it shows"));
  }
  std::optional<std::string> endpoint(credentials.endpoint);
  Task<Verification> verification = (*shown)->verify(loop, credentials, now);
  if (!verification.is_ready()) return admit_later(std::move(verification), std::move(endpoint));
  return Task<Authentication>::ready(admit(std::move(verification.value()), std::move(endpoint)));
}

Task<Authentication> Authenticator::admit_later(Task<Verification> verification,
                                                std::optional<std::string> endpoint) const {
  Verification verified = co_await std::move(verification);
  co_return admit(std::move(verified), std::move(endpoint));
}

Authentication Authenticator::admit(Verification verification,
                                    std::optional<std::string> endpoint) const {
  if (!verification.has_value()) return std::unexpected(std::move(verification.error()));
  verification->credential.endpoint = std::move(endpoint);
  if (!accepted_->accepts(verification->credential)) {
    return refuse(Reason::credentials_invalid,
                  "the endpoint does not accept " + verification->proof);
  }
  // Before a principal from claims takes a place among the living ones.
  auto refused =
      refusal_by_operator(revocations_.get(), verification->id, verification->credential);
  if (refused.has_value()) return std::unexpected(*std::move(refused));
  auto principal = find(verification->id, verification->claims);
  if (!principal.has_value()) return std::unexpected(std::move(principal.error()));
  return Authenticated{*std::move(principal), std::move(verification->proof),
                       std::move(verification->credential), std::move(verification->token)};
}

std::expected<PrincipalPtr, AuthenticationFailure> Authenticator::review(
    const Principal& principal, const Credential& credential, std::int64_t now) const {
  if (auto refused = refusal_by_operator(revocations_.get(), principal.id, credential)) {
    return std::unexpected(*std::move(refused));
  }
  auto present = find(principal.id, principal.claims);
  if (!present.has_value()) return present;
  const auto verifier = std::ranges::find_if(
      verifiers_, [&](const VerifierPtr& one) { return one->kind() == credential.kind; });
  if (verifier == verifiers_.end()) {
    return refuse(Reason::credentials_invalid, "nobody is proved in that way any more");
  }
  if (!accepted_->accepts(credential)) {
    return refuse(Reason::credentials_invalid, "the endpoint does not accept it any more");
  }
  auto reviewed = (*verifier)->review(credential, principal.id, now);
  if (!reviewed.has_value()) return std::unexpected(std::move(reviewed.error()));
  return present;
}

PrincipalPtr Authenticator::rebind(const Principal& principal) const {
  return find(principal.id, principal.claims).value_or(nullptr);
}

bool Authenticator::knows(std::string_view id) const {
  return policy_->find_principal(id) != nullptr || living_->has(id);
}

std::expected<PrincipalPtr, AuthenticationFailure> Authenticator::find(
    std::string_view id, const ClaimsPtr& claims) const {
  PrincipalPtr configured = policy_->find_principal(id);
  if (claims == nullptr) {
    if (configured == nullptr) return refuse(Reason::principal_unknown, "no such principal");
    return configured;
  }
  // No claims of an issuer can make somebody a configured principal.
  if (configured != nullptr) {
    return refuse(Reason::credentials_invalid, "a principal of the configuration has that name");
  }
  PrincipalPtr living = living_->find_or_make(*policy_, id, claims);
  if (living == nullptr) {
    return refuse(Reason::overloaded, "too many principals have calls or sessions");
  }
  return living;
}

}  // namespace bartizan
