#include "gateway/token/verify_signature.h"

#include <algorithm>
#include <vector>

namespace bartizan {
namespace {

using Candidates = std::expected<std::vector<const IssuerKey*>, TokenFault>;

/// The keys that may have signed it.
Candidates find_keys(const TokenHeader& header, std::span<const IssuerKey> keys) {
  bool is_named = false;
  std::vector<const IssuerKey*> found;
  for (const IssuerKey& key : keys) {
    if (header.key_id.has_value() && key.id != header.key_id) continue;
    is_named = true;
    if (key.fits(header.algorithm)) found.push_back(&key);
  }
  if (found.empty() && header.key_id.has_value() && is_named) {
    return std::unexpected(TokenFault::key_other_algorithm);
  }
  if (found.empty()) return std::unexpected(TokenFault::unknown_key);
  if (found.size() > kKeysTriedMax) return std::unexpected(TokenFault::keys_ambiguous);
  return found;
}

}  // namespace

std::expected<void, TokenFault> verify_signature(const CompactJws& jws,
                                                 std::span<const IssuerKey> keys,
                                                 std::span<const SignatureAlgorithm> allowed) {
  const bool is_allowed =
      allowed.empty() || std::ranges::find(allowed, jws.header.algorithm) != allowed.end();
  if (!is_allowed) return std::unexpected(TokenFault::algorithm_not_allowed);
  const auto candidates = find_keys(jws.header, keys);
  if (!candidates) return std::unexpected(candidates.error());
  TokenFault fault = TokenFault::signature_wrong;
  for (const IssuerKey* key : *candidates) {
    const auto verified = key->key.verify(jws.header.algorithm, jws.signing_input, jws.signature);
    if (verified) return {};
    fault = verified.error();
  }
  return std::unexpected(fault);
}

std::expected<VerifiedToken, TokenFault> verify_token(const SignedToken& token,
                                                      const IssuerConfig& issuer,
                                                      std::span<const IssuerKey> keys) {
  const JsonValue claimed = token.claims().find("iss");
  if (!claimed) return std::unexpected(TokenFault::issuer_missing);
  if (!claimed.is(JsonType::string)) return std::unexpected(TokenFault::issuer_malformed);
  if (claimed.text() != issuer.issuer) return std::unexpected(TokenFault::issuer_other);
  const auto verified = verify_signature(token.jws(), keys, issuer.algorithms);
  if (!verified) return std::unexpected(verified.error());
  return VerifiedToken(token, issuer);
}

}  // namespace bartizan
