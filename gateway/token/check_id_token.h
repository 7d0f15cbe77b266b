#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "gateway/token/token_fault.h"
#include "gateway/token/verify_signature.h"

namespace bartizan {

/// Whether a verified token is an ID token for the gateway, as a client of the provider, from the
/// sign-in that it began.
///
/// Input:  the id of the gateway at the provider; the nonce of that sign-in; `now` in seconds since
///         1970. The nonce is empty for a token from a refresh, which need not have one.
/// Errors: audience_missing, audience_malformed and audience_other, also for `azp` of another
///         client and for several audiences without `azp`; subject_malformed; those of its times;
///         other_use for an access token (RFC 9068) and for another nonce.
/// Source: OpenID Connect Core 1.0 §2, §3.1.3.7, §12.2.
std::expected<void, TokenFault> check_id_token(const VerifiedToken& token,
                                               std::string_view client_id, std::string_view nonce,
                                               std::int64_t now);

}  // namespace bartizan
