#include "gateway/token/token_fault.h"

namespace bartizan {
namespace {

using enum TokenFault;

constexpr std::array<TokenFaultEntry, kTokenFaultCount> kEntries{{
    {"empty", "the token is empty", empty, false},
    {"too_long", "the token is longer than 16 KiB", too_long, false},
    {"parts", "the token has not three parts with a point between them", parts, false},
    {"encrypted", "the token is encrypted, and only signed ones are read", encrypted, false},
    {"header_encoding", "the token's header is not unpadded base64url", header_encoding, false},
    {"header_json", "the token's header is not a strict JSON object", header_json, false},
    {"header_repeated", "the token's header has a name twice", header_repeated, false},
    {"payload_encoding", "the token's claims are no unpadded base64url", payload_encoding, false},
    {"claims_json", "the token's claims are no strict JSON object", claims_json, false},
    {"claims_repeated", "the token's claims have a name twice", claims_repeated, false},
    {"algorithm_missing", "the token does not say by what it is signed", algorithm_missing, false},
    {"algorithm_none", "the token says that it is not signed", algorithm_none, false},
    {"algorithm_symmetric",
     "the token is signed by a shared secret, and only public keys are accepted",
     algorithm_symmetric, false},
    {"algorithm_unknown", "the token is signed by an algorithm that is not known",
     algorithm_unknown, false},
    {"type_other", "the token's header says that it is another kind of token", type_other, false},
    {"critical", "the token needs extensions that are not supported (crit)", critical, false},
    {"unencoded", "the token's claims would not be encoded (b64)", unencoded, false},
    {"compressed", "the token is compressed", compressed, false},
    {"nested", "the token holds another token", nested, false},
    {"embedded_key", "the token brings the key that it is to be verified with", embedded_key,
     false},
    {"key_id_malformed", "the token names its key by no text of up to 512 plain bytes",
     key_id_malformed, false},
    {"issuer_missing", "the token names no issuer (iss)", issuer_missing, false},
    {"issuer_malformed", "the token's issuer is not a text (iss)", issuer_malformed, false},
    {"issuer_other", "the token is from another issuer (iss)", issuer_other, false},
    {"algorithm_not_allowed", "the token is signed by an algorithm that its issuer may not use",
     algorithm_not_allowed, false},
    {"unknown_key", "the token is signed with a key that its issuer does not publish", unknown_key,
     false},
    {"key_other_algorithm", "the token names a key that is for another algorithm",
     key_other_algorithm, false},
    {"keys_ambiguous", "the token's key could be too many of those that its issuer publishes",
     keys_ambiguous, false},
    {"signature_missing", "the token has no signature", signature_missing, false},
    {"signature_encoding", "the token's signature is not unpadded base64url", signature_encoding,
     false},
    {"signature_length", "the token's signature is not as long as its key makes them",
     signature_length, false},
    {"signature_range", "the token's signature has a number that no signature has", signature_range,
     false},
    {"signature_wrong", "the token's signature is wrong", signature_wrong, false},
    {"id_token", "the token is an ID token, which is for its client and not for the gateway",
     id_token, false},
    {"other_use", "the token says that it is not an access token (typ, token_use)", other_use,
     false},
    {"no_access_marker", "the token has nothing that only an access token of its issuer has",
     no_access_marker, false},
    {"expiry_missing", "the token never expires (exp)", expiry_missing, false},
    {"expiry_malformed", "the token's expiry is not a time in whole seconds (exp)",
     expiry_malformed, false},
    {"expired", "the token has expired (exp)", expired, true},
    {"not_before_malformed", "the token's begin is not a time in whole seconds (nbf)",
     not_before_malformed, false},
    {"not_yet_valid", "the token is not valid yet (nbf)", not_yet_valid, false},
    {"issued_at_malformed", "the token's time of issue is not a time in whole seconds (iat)",
     issued_at_malformed, false},
    {"issued_later", "the token was issued in the future (iat)", issued_later, false},
    {"times_contradict", "the token expires before it was issued or begins (exp, iat, nbf)",
     times_contradict, false},
    {"lifetime_long", "the token lives longer than tokens of its issuer may", lifetime_long, false},
    {"audience_missing", "the token does not say what it is for (aud)", audience_missing, false},
    {"audience_malformed", "the token's audience is neither a text nor a list of texts (aud)",
     audience_malformed, false},
    {"audience_other", "the token is for somebody else (aud)", audience_other, false},
    {"requirement", "the token has not the claims that are required of its issuer", requirement,
     false},
    {"confirmation_malformed", "the token's binding to a key cannot be read (cnf)",
     confirmation_malformed, false},
    {"confirmation_unknown", "the token is bound to a key in a way that is not supported (cnf)",
     confirmation_unknown, false},
    {"certificate_missing", "the token is bound to a certificate, and none was shown",
     certificate_missing, false},
    {"certificate_other", "the token is bound to another certificate than was shown",
     certificate_other, false},
    {"identifier_characters", "a claim that identifies somebody holds a control character",
     identifier_characters, false},
    {"subject_malformed", "the token's subject is not a text (sub)", subject_malformed, false},
    {"principal_missing", "the token has not the claim that names the principal", principal_missing,
     false},
    {"principal_malformed", "the claim that names the principal is not a plain text, or empty",
     principal_malformed, false},
    {"principal_long", "the claim that names the principal is longer than 256 bytes",
     principal_long, false},
    {"client_malformed", "the token's client is not a text of up to 256 bytes", client_malformed,
     false},
    {"token_id_malformed", "the token's id is not a text of up to 256 bytes (jti)",
     token_id_malformed, false},
    {"actor_malformed", "the token does not say who acts for its subject (act)", actor_malformed,
     false},
    {"actors_deep", "more than 8 actors stand between the token's subject and its client (act)",
     actors_deep, false},
    {"scope_malformed", "the token's scopes are no words between blanks (scope, scp)",
     scope_malformed, false},
    {"claim_malformed", "a claim that is mapped or required is neither a text nor a list of texts",
     claim_malformed, false},
    {"claim_overflow", "a claim that is mapped or required did not fit into the token",
     claim_overflow, false},
    {"attribute_malformed", "a claim that is an attribute is not a text of up to 256 plain bytes",
     attribute_malformed, false},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kEntries.size(); ++i)
    if (static_cast<std::size_t>(kEntries[i].fault) != i) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

const std::array<TokenFaultEntry, kTokenFaultCount> kTokenFaults = kEntries;

const TokenFaultEntry& entry_of(TokenFault fault) {
  return kTokenFaults[static_cast<std::size_t>(fault)];
}

}  // namespace bartizan
