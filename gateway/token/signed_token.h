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

/// A whole token: as long as all header fields of a request may be together.
inline constexpr std::size_t kTokenBytesMax = std::size_t{16} << 10;

/// What is used of a token's header.
///
/// `jku`, `x5u`, `x5c` and `x5t` are never looked at: some issuers send them, and what a token says
/// of where its key is proves nothing (RFC 8725 §3.10). `jwk` is refused: no issuer sends it, and a
/// token that has it is a proof of possession, or somebody's own work.
struct TokenHeader {
  SignatureAlgorithm algorithm = SignatureAlgorithm::rs256;
  bool is_access_token = false;       ///< `typ` says so: `at+jwt`.
  std::optional<std::string> key_id;  ///< `kid`
};

/// A JWS in its compact form, taken apart. Nothing of it is verified.
struct CompactJws {
  TokenHeader header;
  std::string signing_input;
  Bytes payload;
  std::string signature;
};

/// Takes a compact JWS apart and judges its header. What the payload is, it does not ask.
///
/// Input:  the token alone, as the header field has it; what `typ` has to say exactly, empty for an
///         access token.
/// Errors: those of the token's form and header, signature_missing, signature_encoding.
/// Cost:   a copy of the text, and the reading of a short JSON text.
/// Source: RFC 7515 §3.1, §4.1, §5.2, §7.1; RFC 7519 §5; RFC 7797 §3; RFC 8725 §3.1, §3.11;
///         RFC 9068 §4.
std::expected<CompactJws, TokenFault> read_compact_jws(std::string_view text,
                                                       std::string_view type = {});

/// A token whose claims were read. Nothing of it is verified: it says which issuer to ask.
class SignedToken {
 public:
  /// Errors: those of `read_compact_jws`; payload_encoding, claims_json, claims_repeated;
  ///         identifier_characters for a control character in a claim that names somebody.
  static std::expected<SignedToken, TokenFault> read(std::string_view text,
                                                     std::string_view type = {});

  const CompactJws& jws() const { return jws_; }
  /// Lifetime: within that of this token.
  JsonValue claims() const { return claims_.root(); }
  /// Whom it claims to be from; empty where it says so in no text.
  std::string_view issuer() const { return claims().find("iss").text(); }

 private:
  explicit SignedToken(CompactJws jws) : jws_(std::move(jws)) {}

  CompactJws jws_;
  JsonDocument claims_;  ///< Of the payload.
};

}  // namespace bartizan
