#pragma once

#include <expected>

#include "config/issuer_config.h"
#include "gateway/token/token_fault.h"
#include "policy/verdict/principal.h"
#include "schemas/json/json.h"

namespace bartizan {

/// What the claims of a token stand for, as its issuer's configuration maps them. All sources add
/// up; claims that are not mapped give nothing. Roles and permissions are sorted, each once.
///
/// Errors: those of `read_claim_values`; attribute_malformed for an attribute's claim that is a
///         list, an object, longer than `kIdentifierBytesMax` or holds control characters.
std::expected<Claims, TokenFault> map_claims(JsonValue claims, const IssuerConfig& issuer);

}  // namespace bartizan
