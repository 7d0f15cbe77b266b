#include "gateway/token/check_id_token.h"

#include <algorithm>

#include "gateway/token/check_claims.h"
#include "gateway/token/claim_values.h"
#include "schemas/base/same_secret.h"

namespace bartizan {
namespace {

std::expected<void, TokenFault> check_client(JsonValue claims, std::string_view client_id) {
  const JsonValue audience = claims.find("aud");
  if (!audience) return std::unexpected(TokenFault::audience_missing);
  std::size_t audiences = 1;
  bool is_ours = audience.text() == client_id;
  if (audience.is(JsonType::array)) {
    audiences = audience.size();
    is_ours = std::ranges::any_of(audience,
                                  [client_id](JsonValue one) { return one.text() == client_id; });
  } else if (!audience.is(JsonType::string)) {
    return std::unexpected(TokenFault::audience_malformed);
  }
  const JsonValue party = claims.find("azp");
  const bool is_for_another = party ? party.text() != client_id : audiences > 1;
  if (!is_ours || is_for_another) return std::unexpected(TokenFault::audience_other);
  return {};
}

}  // namespace

std::expected<void, TokenFault> check_id_token(const VerifiedToken& token,
                                               std::string_view client_id, std::string_view nonce,
                                               std::int64_t now) {
  const JsonValue claims = token.claims();
  if (token.header().is_access_token) return std::unexpected(TokenFault::other_use);
  const auto client = check_client(claims, client_id);
  if (!client) return client;
  if (!is_identifier(claims.find("sub"))) return std::unexpected(TokenFault::subject_malformed);
  const auto times = check_times(claims, token.issuer(), now);
  if (!times) return std::unexpected(times.error());
  const JsonValue said = claims.find("nonce");
  const bool is_due = !nonce.empty();
  if (is_due && (!said.is(JsonType::string) || !is_same_secret(said.text(), nonce))) {
    return std::unexpected(TokenFault::other_use);
  }
  return {};
}

}  // namespace bartizan
