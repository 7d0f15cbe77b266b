#pragma once

#include <expected>

#include "config/issuer_config.h"
#include "gateway/token/token_fault.h"
#include "policy/verdict/principal.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Maps the claims of a token to roles, permissions and attributes, by its issuer's configuration.
/// All sources add up. Claims without a mapping give nothing. Roles and permissions are sorted,
/// each once.
///
/// Errors: those of `read_claim_values`; attribute_malformed for an attribute's claim that is a
///         list, an object, longer than `kIdentifierBytesMax` or has control characters.
std::expected<Claims, TokenFault> map_claims(JsonValue claims, const IssuerConfig& issuer);

}  // namespace bartizan
