#include "gateway/token/signed_token.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/http/http_fields.h"
#include "gateway/token/base64url.h"
#include "gateway/token/jwk_set.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr JsonLimits kHeaderLimits{.bytes_max = kTokenBytesMax, .values_max = 256, .depth_max = 8};
constexpr JsonLimits kClaimsLimits{
    .bytes_max = kTokenBytesMax, .values_max = 4096, .depth_max = 24};

/// A header member whose presence refuses the token.
struct RefusedMember {
  std::string_view name;
  TokenFault fault;
};
/// In the order of reports.
constexpr std::array<RefusedMember, 6> kRefusedMembers{{{"enc", TokenFault::encrypted},
                                                        {"crit", TokenFault::critical},
                                                        {"b64", TokenFault::unencoded},
                                                        {"zip", TokenFault::compressed},
                                                        {"cty", TokenFault::nested},
                                                        {"jwk", TokenFault::embedded_key}}};

/// `at+jwt` of `application/at+jwt`: the prefix is optional.
std::string_view subtype_of(std::string_view type) {
  constexpr std::string_view kPrefix = "application/";
  const bool is_whole = equal_ignoring_case(type.substr(0, kPrefix.size()), kPrefix);
  return is_whole ? type.substr(kPrefix.size()) : type;
}

std::expected<bool, TokenFault> read_type(JsonValue header, std::string_view wanted) {
  const JsonValue type = header.find("typ");
  if (!wanted.empty()) {
    if (type.is(JsonType::string) && type.text() == wanted) return false;
    return std::unexpected(TokenFault::type_other);
  }
  if (!type) return false;
  const std::string_view subtype = subtype_of(type.text());
  if (equal_ignoring_case(subtype, "at+jwt")) return true;
  if (equal_ignoring_case(subtype, "jwt")) return false;
  return std::unexpected(TokenFault::type_other);
}

std::expected<SignatureAlgorithm, TokenFault> read_algorithm(JsonValue header) {
  const JsonValue name = header.find("alg");
  if (!name.is(JsonType::string)) return std::unexpected(TokenFault::algorithm_missing);
  if (const auto algorithm = find_algorithm(name.text())) return *algorithm;
  if (equal_ignoring_case(name.text(), "none")) return std::unexpected(TokenFault::algorithm_none);
  const bool is_hmac = equal_ignoring_case(name.text().substr(0, 2), "HS");
  return std::unexpected(is_hmac ? TokenFault::algorithm_symmetric : TokenFault::algorithm_unknown);
}

std::expected<std::optional<std::string>, TokenFault> read_key_id(JsonValue header) {
  const JsonValue id = header.find("kid");
  if (!id) return std::nullopt;
  const bool is_sound = id.is(JsonType::string) && id.text().size() <= kKeyIdBytesMax &&
                        !has_control_character(id.text());
  if (!is_sound) return std::unexpected(TokenFault::key_id_malformed);
  return std::string(id.text());
}

std::expected<TokenHeader, TokenFault> read_header(std::string_view text, std::string_view type) {
  auto decoded = decode_base64url(text);
  if (!decoded.has_value()) return std::unexpected(TokenFault::header_encoding);
  const Bytes bytes(*std::move(decoded));
  JsonDocument document;
  const auto header = document.read(bytes, kHeaderLimits);
  if (!header) {
    const bool is_repeated = header.error().code == ErrorCode::json_duplicate_key;
    return std::unexpected(is_repeated ? TokenFault::header_repeated : TokenFault::header_json);
  }
  if (!header->is(JsonType::object)) return std::unexpected(TokenFault::header_json);
  for (const auto& [name, fault] : kRefusedMembers)
    if (header->find(name)) return std::unexpected(fault);
  const auto algorithm = read_algorithm(*header);
  if (!algorithm) return std::unexpected(algorithm.error());
  const auto is_access_token = read_type(*header, type);
  if (!is_access_token) return std::unexpected(is_access_token.error());
  auto key_id = read_key_id(*header);
  if (!key_id) return std::unexpected(key_id.error());
  return TokenHeader{
      .algorithm = *algorithm, .is_access_token = *is_access_token, .key_id = *std::move(key_id)};
}

/// Claims that identify somebody, or the token. They appear in records, and some readers cut a name
/// at a NUL.
constexpr std::array<std::string_view, 8> kIdentifiers{"iss", "sub",       "aud", "jti",
                                                       "azp", "client_id", "cid", "appid"};

bool has_unsound_identifier(JsonValue claims) {
  return std::ranges::any_of(kIdentifiers, [&](std::string_view name) {
    return std::ranges::any_of(claims.find(name).within(),
                               [](JsonValue value) { return has_control_character(value.text()); });
  });
}

}  // namespace

std::expected<CompactJws, TokenFault> read_compact_jws(std::string_view text,
                                                       std::string_view type) {
  if (text.empty()) return std::unexpected(TokenFault::empty);
  if (text.size() > kTokenBytesMax) return std::unexpected(TokenFault::too_long);
  const auto points = std::ranges::count(text, '.');
  if (points == 4) return std::unexpected(TokenFault::encrypted);
  if (points != 2) return std::unexpected(TokenFault::parts);
  const std::size_t first = text.find('.');
  const std::size_t second = text.rfind('.');
  auto header = read_header(text.substr(0, first), type);
  if (!header) return std::unexpected(header.error());
  auto payload = decode_base64url(text.substr(first + 1, second - first - 1));
  if (!payload.has_value()) return std::unexpected(TokenFault::payload_encoding);
  if (second + 1 == text.size()) return std::unexpected(TokenFault::signature_missing);
  auto signature = decode_base64url(text.substr(second + 1));
  if (!signature.has_value()) return std::unexpected(TokenFault::signature_encoding);
  return CompactJws{.header = *std::move(header),
                    .signing_input = std::string(text.substr(0, second)),
                    .payload = Bytes(*std::move(payload)),
                    .signature = *std::move(signature)};
}

std::expected<SignedToken, TokenFault> SignedToken::read(std::string_view text,
                                                         std::string_view type) {
  auto jws = read_compact_jws(text, type);
  if (!jws) return std::unexpected(jws.error());
  SignedToken token(*std::move(jws));
  const auto claims = token.claims_.read(token.jws_.payload, kClaimsLimits);
  if (!claims) {
    const bool is_repeated = claims.error().code == ErrorCode::json_duplicate_key;
    return std::unexpected(is_repeated ? TokenFault::claims_repeated : TokenFault::claims_json);
  }
  if (!claims->is(JsonType::object)) return std::unexpected(TokenFault::claims_json);
  if (has_unsound_identifier(*claims)) return std::unexpected(TokenFault::identifier_characters);
  return token;
}

}  // namespace bartizan
