#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "config/signature_algorithm.h"
#include "gateway/token/token_fault.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The most bytes of a token: the limit for all header fields of a request together.
inline constexpr std::size_t kTokenBytesMax = std::size_t{16} << 10;

/// The used members of a token's header.
///
/// `jku`, `x5u`, `x5c` and `x5t` are ignored. Some issuers send them, but a token's own statement
/// about the place of its key proves nothing (RFC 8725 §3.10). `jwk` is refused: no issuer sends
/// it. A token with it is a proof of possession, or forged.
struct TokenHeader {
  SignatureAlgorithm algorithm = SignatureAlgorithm::rs256;
  bool is_access_token = false;       ///< `typ` says so: `at+jwt`.
  std::optional<std::string> key_id;  ///< `kid`
};

/// The parts of a compact JWS, not verified.
struct CompactJws {
  TokenHeader header;
  std::string signing_input;
  Bytes payload;
  std::string signature;
};

/// Splits a compact JWS into its parts and checks its header. The payload is not checked.
///
/// Input:  the token alone, as in the header field; the exact `typ` that is required, empty for an
///         access token.
/// Errors: those of the token's form and header, signature_missing, signature_encoding.
/// Cost:   a copy of the text, and the parsing of a short JSON text.
/// Source: RFC 7515 §3.1, §4.1, §5.2, §7.1; RFC 7519 §5; RFC 7797 §3; RFC 8725 §3.1, §3.11; RFC
///         9068 §4.
std::expected<CompactJws, TokenFault> read_compact_jws(std::string_view text,
                                                       std::string_view type = {});

/// A token with parsed claims, not verified. It states which issuer to ask.
class SignedToken {
 public:
  /// Errors: those of `read_compact_jws`; payload_encoding, claims_json, claims_repeated;
  ///         identifier_characters for a control character in a claim that names somebody.
  static std::expected<SignedToken, TokenFault> read(std::string_view text,
                                                     std::string_view type = {});

  const CompactJws& jws() const { return jws_; }
  /// Lifetime: within that of this token.
  JsonValue claims() const { return claims_.root(); }
  /// The claimed issuer; empty if `iss` is not a text.
  std::string_view issuer() const { return claims().find("iss").text(); }

 private:
  explicit SignedToken(CompactJws jws) : jws_(std::move(jws)) {}

  CompactJws jws_;
  JsonDocument claims_;  ///< Of the payload.
};

}  // namespace bartizan
