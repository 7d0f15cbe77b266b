#include "gateway/export/signed_head.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "audit/digest.h"
#include "gateway/token/signed_token.h"
#include "gateway/token/verify_signature.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::array<SignatureAlgorithm, 1> kAlgorithms{SignatureAlgorithm::eddsa};

std::string sentence_of(TokenFault fault) {
  return std::string(entry_of(fault).sentence);
}

}  // namespace

std::string head_claims(const RecordOrigin& origin, const AuditHead& head, std::int64_t now) {
  return R"({"instance":)" + json_string(origin.instance) + R"(,"chain":")" + origin.chain +
         R"(","seq":)" + std::to_string(head.sequence) + R"(,"hash":")" + hex_of(head.hash) +
         R"(","iat":)" + std::to_string(now) + '}';
}

std::expected<SignedHead, std::string> read_signed_head(std::string_view jws,
                                                        const IssuerKey& key) {
  const auto token = SignedToken::read(jws, kSignedHeadType);
  if (!token.has_value()) return std::unexpected(sentence_of(token.error()));
  const auto verified = verify_signature(token->jws(), std::span(&key, 1), kAlgorithms);
  if (!verified.has_value()) return std::unexpected("the head was not signed by this key");
  const JsonValue claims = token->claims();
  const auto sequence = claims.find("seq").integer();
  const auto signed_at = claims.find("iat").integer();
  const auto hash = parse_hex(claims.find("hash").text());
  const std::string_view chain = claims.find("chain").text();
  if (!sequence || *sequence < 0 || !signed_at || !hash || !parse_hex(chain)) {
    return std::unexpected("its claims are no head of a record");
  }
  return SignedHead{.origin = {.instance = std::string(claims.find("instance").text()),
                               .chain = std::string(chain)},
                    .head = {.sequence = static_cast<std::uint64_t>(*sequence), .hash = *hash},
                    .signed_at = *signed_at,
                    .jws = std::string(jws)};
}

std::expected<std::vector<SignedHead>, std::string> read_signed_heads(std::string_view text,
                                                                      const IssuerKey& key) {
  std::vector<SignedHead> heads;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // A torn line is not a token. A changed line is one, and is refused.
    if (std::ranges::count(line, '.') != 2) continue;
    auto head = read_signed_head(line, key);
    if (!head.has_value()) {
      return std::unexpected("line " + std::to_string(number) + ": " + head.error());
    }
    heads.push_back(*std::move(head));
  }
  return heads;
}

}  // namespace bartizan
