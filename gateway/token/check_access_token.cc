#include "gateway/token/check_access_token.h"

#include "gateway/token/check_claims.h"
#include "gateway/token/read_identity.h"

namespace bartizan {

std::expected<TokenIdentity, TokenFault> check_access_token(
    const VerifiedToken& token, std::int64_t now, const std::optional<Hash>& certificate) {
  const JsonValue claims = token.claims();
  const IssuerConfig& issuer = token.issuer();
  const auto kind = check_kind(token.header(), claims, issuer);
  if (!kind) return std::unexpected(kind.error());
  const auto audience = check_audience(claims, issuer);
  if (!audience) return std::unexpected(audience.error());
  const auto requirements = check_requirements(claims, issuer);
  if (!requirements) return std::unexpected(requirements.error());
  const auto expires = check_times(claims, issuer, now);
  if (!expires) return std::unexpected(expires.error());
  const auto bound = check_confirmation(claims, certificate);
  if (!bound) return std::unexpected(bound.error());
  auto identity = read_identity(claims, issuer);
  if (!identity) return std::unexpected(identity.error());
  identity->expires = *expires;
  identity->certificate = *bound;
  return identity;
}

}  // namespace bartizan
