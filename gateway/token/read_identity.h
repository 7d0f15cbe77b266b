#pragma once

#include <expected>

#include "config/issuer_config.h"
#include "gateway/token/check_access_token.h"
#include "gateway/token/token_fault.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Whom the claims of a token name, as its issuer's configuration maps them. What it is, whom it is
/// for and when it holds is not asked: `expires` and `certificate` of the answer stay empty.
///
/// Errors: those of "Whom it names, and what it says of him" in `TokenFault`.
/// Source: RFC 7519 §4.1; RFC 8693 §4.1; RFC 9068 §2.2.
std::expected<TokenIdentity, TokenFault> read_identity(JsonValue claims,
                                                       const IssuerConfig& issuer);

}  // namespace bartizan
