#pragma once

#include <expected>

#include "config/issuer_config.h"
#include "gateway/token/check_access_token.h"
#include "gateway/token/token_fault.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The identity in the claims of a token, mapped by its issuer's configuration. Kind, audience and
/// times are not checked: `expires` and `certificate` stay empty.
///
/// Errors: those under "The identity, and claims about it" in `TokenFault`.
/// Source: RFC 7519 §4.1; RFC 8693 §4.1; RFC 9068 §2.2.
std::expected<TokenIdentity, TokenFault> read_identity(JsonValue claims,
                                                       const IssuerConfig& issuer);

}  // namespace bartizan
