#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/issuer_config.h"
#include "gateway/token/check_access_token.h"
#include "tests/gateway/token/mint_token.h"

namespace bartizan {

inline constexpr std::int64_t kTokenNow = 1'795'262'400;

/// Members of an object by their names, each as JSON text; an empty one is left out.
using JsonMembers = std::map<std::string, std::string>;

/// The issuer `corp`, with the audience `https://gw.test/mcp`.
IssuerConfig corp_issuer();
/// A header of ES256 and `kid` k1, with these members instead.
std::string token_header(const JsonMembers& members = {});
/// Claims of an access token of `corp` for `u1`, with these members instead.
std::string token_claims(const JsonMembers& members = {});
/// A token of the key that `corp` publishes as k1.
std::string corp_token(const JsonMembers& claims = {}, const JsonMembers& header = {});

/// All steps, in the order in which the gateway takes them. `keys` are JWKs with a comma between.
std::expected<TokenIdentity, TokenFault> judge_token(std::string_view token,
                                                     const IssuerConfig& issuer,
                                                     std::string_view keys,
                                                     const std::optional<Hash>& certificate = {});
/// With the keys of `corp`.
std::expected<TokenIdentity, TokenFault> judge_corp_token(
    std::string_view token, const IssuerConfig& issuer = corp_issuer(),
    const std::optional<Hash>& certificate = {});

/// Why it is refused, or nothing.
template <class T>
std::optional<TokenFault> fault_of(const std::expected<T, TokenFault>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

/// For messages of tests: the name of a fault, or `accepted`.
std::string_view name_of(std::optional<TokenFault> fault);

}  // namespace bartizan
