#pragma once

#include <optional>
#include <string_view>

namespace bartizan {

/// The token of `Bearer TOKEN`, the scheme in any letter case; nothing for another scheme, and for
/// more than one token. Source: RFC 6750 §2.1; RFC 9110 §11.1.
std::optional<std::string_view> bearer_token(std::string_view authorization);

/// Whether a token is shaped as a JWT in its compact form: a first part that begins as base64url of
/// a JSON object does, and two or more dots. No API key that the gateway makes is.
bool is_shaped_as_jwt(std::string_view token);

/// How much of a token says what it is: of a JWT all but its signature, of any other token all of
/// it. There are two signatures of one content by each key of an elliptic curve (SEC 1 §4.1.3), and
/// so two tokens: who revokes one means both.
std::string_view revocable_part(std::string_view token);

/// Whether a token begins as secrets do that this gateway gives out: its keys, and the tokens of
/// its front doors. Nobody else is asked about such a one.
bool is_shaped_as_own(std::string_view token);

}  // namespace bartizan
