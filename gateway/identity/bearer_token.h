#pragma once

#include <optional>
#include <string_view>

namespace bartizan {

/// The token of `Bearer TOKEN`, the scheme in any letter case. Nothing for another scheme, or for
/// more than one token. Source: RFC 6750 §2.1; RFC 9110 §11.1.
std::optional<std::string_view> bearer_token(std::string_view authorization);

/// Whether a token has the shape of a compact JWT: its first part begins as a JSON object in
/// base64url, and it has two or more dots. No API key that the gateway makes has it.
bool is_shaped_as_jwt(std::string_view token);

/// The part of a token that identifies it: of a JWT all but its signature, of any other token all
/// of it. With a key of an elliptic curve, one content has two signatures (SEC 1 §4.1.3), and so
/// two tokens. A revocation covers both.
std::string_view revocable_part(std::string_view token);

/// Whether a token begins like the secrets that this gateway issues: its keys, and the tokens of
/// its front doors. No issuer is asked about such a token.
bool is_shaped_as_own(std::string_view token);

}  // namespace bartizan
