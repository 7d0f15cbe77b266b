#include "gateway/token/check_introspection.h"

#include "gateway/token/check_claims.h"
#include "gateway/token/read_identity.h"

namespace bartizan {

std::expected<TokenIdentity, TokenFault> check_introspection(
    JsonValue answer, const IssuerConfig& issuer, std::int64_t now,
    const std::optional<Hash>& certificate) {
  const JsonValue from = answer.find("iss");
  if (from && !from.is(JsonType::string)) return std::unexpected(TokenFault::issuer_malformed);
  if (from && from.text() != issuer.issuer) return std::unexpected(TokenFault::issuer_other);
  const auto kind = check_kind({.is_access_token = true}, answer, issuer);
  if (!kind) return std::unexpected(kind.error());
  const auto audience = check_audience(answer, issuer);
  if (!audience) return std::unexpected(audience.error());
  const auto requirements = check_requirements(answer, issuer);
  if (!requirements) return std::unexpected(requirements.error());
  std::int64_t expires = now + issuer.max_lifetime.count();
  if (answer.find("exp")) {
    const auto end = check_times(answer, issuer, now);
    if (!end) return std::unexpected(end.error());
    expires = *end;
  }
  const auto bound = check_confirmation(answer, certificate);
  if (!bound) return std::unexpected(bound.error());
  auto identity = read_identity(answer, issuer);
  if (!identity) return std::unexpected(identity.error());
  identity->expires = expires;
  identity->certificate = *bound;
  return identity;
}

}  // namespace bartizan
