#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/token/token_fault.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The most bytes of a text that identifies somebody or something. OpenID Connect limits `sub` to
/// 255.
inline constexpr std::size_t kIdentifierBytesMax = 256;

/// The claim that a configured name means: a member name, or a JSON pointer, which begins with `/`.
/// Nothing also for a claim that is null.
JsonValue find_claim(JsonValue claims, std::string_view name);

/// The values of a claim as texts: of a text, an integer, a boolean, or a list of these; for
/// `scope` and `scp`, the words. Empty if the token lacks the claim.
///
/// Errors: claim_malformed, scope_malformed; claim_overflow for a claim that the issuer replaced
///         because it was too large: the values would be incomplete.
/// Source: OpenID Connect Core 1.0 §5.6.2; Microsoft identity platform, "Groups overage claim".
std::expected<std::vector<std::string>, TokenFault> read_claim_values(JsonValue claims,
                                                                      std::string_view name);

/// The scopes of a token: the words of `scope` and `scp`, sorted, each once.
///
/// Errors: scope_malformed: a list as `scope`, and words with characters that scopes cannot have.
/// Source: RFC 6749 §3.3; RFC 8693 §4.2. As `scp`, Okta sends a list and Entra a text.
std::expected<std::vector<std::string>, TokenFault> read_scopes(JsonValue claims);

/// Whether it is a text that can be an identifier: not empty, not long, no control characters.
bool is_identifier(JsonValue value);

}  // namespace bartizan
