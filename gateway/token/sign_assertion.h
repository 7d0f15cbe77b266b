#pragma once

#include <string>
#include <string_view>

#include "schemas/base/result.h"

namespace bartizan {

/// A client's assertion of its identity, signed by its own key: a compact JWT.
///
/// Input:  a private key in PEM, without a passphrase; the key's id, empty for none; the claims as
///         a JSON object. The key is RSA of 2048 bits and more, P-256, P-384, P-521 or Ed25519, and
///         determines the algorithm (RS256, ES256, ES384, ES512, EdDSA).
/// Errors: config_invalid if it is not such a key. No error contains any part of it.
/// Source: RFC 7523 §2.2, §3; RFC 7515 §3.1; RFC 7518 §3.3, §3.4; RFC 8037 §3.1.
Result<std::string> sign_assertion(std::string_view pem, std::string_view key_id,
                                   std::string_view claims_json);

}  // namespace bartizan
