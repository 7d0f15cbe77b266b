#include "gateway/token/check_claims.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "gateway/token/base64url.h"
#include "gateway/token/claim_values.h"

namespace bartizan {
namespace {

/// The last second of the year 9999. A later value is not a time, and sums with valid times cannot
/// overflow.
constexpr std::int64_t kTimeMax = 253'402'300'799;

/// `nonce` repeats a value of a client's request to its provider. The others are digests of values
/// that come with ID tokens.
constexpr std::array<std::string_view, 4> kIdTokenClaims{"nonce", "at_hash", "c_hash", "s_hash"};
/// Values of Keycloak's claim `typ` for tokens that are not access tokens.
constexpr std::array<std::string_view, 3> kOtherTypes{"Refresh", "Offline", "Logout"};

using Time = std::expected<std::optional<std::int64_t>, TokenFault>;

/// A time that may be absent.
Time read_time(JsonValue claims, std::string_view name, TokenFault malformed) {
  const JsonValue value = claims.find(name);
  if (!value) return std::nullopt;
  const auto seconds = value.integer();
  const bool is_time = seconds.has_value() && *seconds >= 0 && *seconds <= kTimeMax;
  if (!is_time) return std::unexpected(malformed);
  return seconds;
}

bool is_one_of_ours(std::string_view audience, const IssuerConfig& issuer) {
  return std::ranges::find(issuer.audiences, audience) != issuer.audiences.end();
}

}  // namespace

std::expected<void, TokenFault> check_kind(const TokenHeader& header, JsonValue claims,
                                           const IssuerConfig& issuer) {
  const bool is_id_token = std::ranges::any_of(
      kIdTokenClaims, [&](std::string_view name) { return static_cast<bool>(claims.find(name)); });
  const std::string_view type = claims.find("typ").text();
  const JsonValue use = claims.find("token_use");
  if (is_id_token || type == "ID" || use.text() == "id") {
    return std::unexpected(TokenFault::id_token);
  }
  const bool is_other = std::ranges::find(kOtherTypes, type) != kOtherTypes.end();
  if (is_other || (use && use.text() != "access") || claims.find("events")) {
    return std::unexpected(TokenFault::other_use);
  }
  const bool is_marked = std::ranges::any_of(issuer.access_claims, [&](const std::string& name) {
    return static_cast<bool>(find_claim(claims, name));
  });
  if (!header.is_access_token && !is_marked) return std::unexpected(TokenFault::no_access_marker);
  return {};
}

std::expected<void, TokenFault> check_audience(JsonValue claims, const IssuerConfig& issuer) {
  const JsonValue claim = find_claim(claims, issuer.audience_claim);
  if (!claim) return std::unexpected(TokenFault::audience_missing);
  bool is_ours = false;
  if (claim.is(JsonType::array)) {
    for (const JsonValue audience : claim) {
      if (!audience.is(JsonType::string)) return std::unexpected(TokenFault::audience_malformed);
      is_ours = is_ours || is_one_of_ours(audience.text(), issuer);
    }
  } else {
    if (!claim.is(JsonType::string)) return std::unexpected(TokenFault::audience_malformed);
    is_ours = is_one_of_ours(claim.text(), issuer);
  }
  if (!is_ours) return std::unexpected(TokenFault::audience_other);
  return {};
}

std::expected<void, TokenFault> check_requirements(JsonValue claims, const IssuerConfig& issuer) {
  for (const auto& [name, wanted] : issuer.require) {
    const auto values = read_claim_values(claims, name);
    if (!values) return std::unexpected(values.error());
    const bool has_one = std::ranges::find_first_of(*values, wanted) != values->end();
    if (!has_one) return std::unexpected(TokenFault::requirement);
  }
  return {};
}

std::expected<std::int64_t, TokenFault> check_times(JsonValue claims, const IssuerConfig& issuer,
                                                    std::int64_t now) {
  const Time expires = read_time(claims, "exp", TokenFault::expiry_malformed);
  if (!expires) return std::unexpected(expires.error());
  const Time begins = read_time(claims, "nbf", TokenFault::not_before_malformed);
  if (!begins) return std::unexpected(begins.error());
  const Time issued = read_time(claims, "iat", TokenFault::issued_at_malformed);
  if (!issued) return std::unexpected(issued.error());
  if (!expires->has_value()) return std::unexpected(TokenFault::expiry_missing);

  const std::int64_t end = **expires;
  const std::int64_t skew = issuer.clock_skew.count();
  if (now >= end + skew) return std::unexpected(TokenFault::expired);
  if (*begins > now + skew) return std::unexpected(TokenFault::not_yet_valid);
  if (*issued > now + skew) return std::unexpected(TokenFault::issued_later);
  // An absent time is before all others.
  if (*begins >= end || *issued >= end) return std::unexpected(TokenFault::times_contradict);
  if (end - issued->value_or(now) > issuer.max_lifetime.count()) {
    return std::unexpected(TokenFault::lifetime_long);
  }
  return end + skew;
}

std::expected<std::optional<Hash>, TokenFault> check_confirmation(
    JsonValue claims, const std::optional<Hash>& certificate) {
  const JsonValue confirmation = claims.find("cnf");
  if (!confirmation) return std::nullopt;
  const JsonValue thumbprint = confirmation.find("x5t#S256");
  const bool is_object =
      confirmation.is(JsonType::object) && confirmation.begin() != confirmation.end();
  if (!is_object) return std::unexpected(TokenFault::confirmation_malformed);
  if (!thumbprint || confirmation.size() != 1) {
    return std::unexpected(TokenFault::confirmation_unknown);
  }
  const auto bytes = decode_base64url(thumbprint.text());
  Hash bound{};
  if (!bytes.has_value() || bytes->size() != bound.size()) {
    return std::unexpected(TokenFault::confirmation_malformed);
  }
  std::ranges::copy(*bytes, bound.begin());
  if (!certificate.has_value()) return std::unexpected(TokenFault::certificate_missing);
  if (CRYPTO_memcmp(bound.data(), certificate->data(), bound.size()) != 0) {
    return std::unexpected(TokenFault::certificate_other);
  }
  return bound;
}

}  // namespace bartizan
