#include "tests/gateway/token/judge_token.h"

#include <fmt/format.h>

namespace bartizan {
namespace {

std::string object_of(const JsonMembers& members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    text += fmt::format(R"({}"{}":{})", text.size() == 1 ? "" : ",", name, value);
  }
  return text + "}";
}

/// These members, and of the others those that they do not have.
std::string merged(const JsonMembers& members, const JsonMembers& others) {
  JsonMembers all = members;
  all.insert(others.begin(), others.end());
  return object_of(all);
}

}  // namespace

IssuerConfig corp_issuer() {
  IssuerConfig issuer;
  issuer.name = "corp";
  issuer.issuer = "https://as.test";
  issuer.audiences = {"https://gw.test/mcp", "gw"};
  return issuer;
}

std::string token_header(const JsonMembers& members) {
  return merged(members, {{"alg", R"("ES256")"}, {"kid", R"("k1")"}});
}

std::string token_claims(const JsonMembers& members) {
  return merged(members, {{"iss", R"("https://as.test")"},
                          {"aud", R"("https://gw.test/mcp")"},
                          {"sub", R"("u1")"},
                          {"scope", R"("tools:read")"},
                          {"iat", fmt::format("{}", kTokenNow)},
                          {"exp", fmt::format("{}", kTokenNow + 300)}});
}

std::string corp_token(const JsonMembers& claims, const JsonMembers& header) {
  return mint(SigningKey::of(KeyKind::p256), SignatureAlgorithm::es256, token_header(header),
              token_claims(claims));
}

std::expected<TokenIdentity, TokenFault> judge_token(std::string_view token,
                                                     const IssuerConfig& issuer,
                                                     std::string_view keys,
                                                     const std::optional<Hash>& certificate) {
  const auto set = read_jwk_set(Bytes(fmt::format(R"({{"keys":[{}]}})", keys)));
  const auto read = SignedToken::read(token);
  if (!read) return std::unexpected(read.error());
  const auto verified = verify_token(*read, issuer, set.value().keys);
  if (!verified) return std::unexpected(verified.error());
  return check_access_token(*verified, kTokenNow, certificate);
}

std::expected<TokenIdentity, TokenFault> judge_corp_token(std::string_view token,
                                                          const IssuerConfig& issuer,
                                                          const std::optional<Hash>& certificate) {
  return judge_token(token, issuer, SigningKey::of(KeyKind::p256).jwk(R"("kid":"k1",)"),
                     certificate);
}

std::string_view name_of(std::optional<TokenFault> fault) {
  return fault.has_value() ? entry_of(*fault).name : "accepted";
}

}  // namespace bartizan
