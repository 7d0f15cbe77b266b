#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// The reason that an access token is refused. Each has a row of `kTokenFaults`.
enum class TokenFault : std::uint8_t {
  // Its form.
  empty,
  too_long,
  parts,
  encrypted,
  header_encoding,
  header_json,
  header_repeated,
  payload_encoding,
  claims_json,
  claims_repeated,

  // Its header.
  algorithm_missing,
  algorithm_none,
  algorithm_symmetric,
  algorithm_unknown,
  type_other,
  critical,
  unencoded,
  compressed,
  nested,
  embedded_key,
  key_id_malformed,

  // Its issuer, key and signature.
  issuer_missing,
  issuer_malformed,
  issuer_other,
  algorithm_not_allowed,
  unknown_key,
  key_other_algorithm,
  keys_ambiguous,
  signature_missing,
  signature_encoding,
  signature_length,
  signature_range,
  signature_wrong,

  // The kind of token.
  id_token,
  other_use,
  no_access_marker,

  // Its times.
  expiry_missing,
  expiry_malformed,
  expired,
  not_before_malformed,
  not_yet_valid,
  issued_at_malformed,
  issued_later,
  times_contradict,
  lifetime_long,

  // Its audience.
  audience_missing,
  audience_malformed,
  audience_other,
  requirement,

  // Its binding.
  confirmation_malformed,
  confirmation_unknown,
  certificate_missing,
  certificate_other,

  // The identity, and claims about it.
  identifier_characters,
  subject_malformed,
  principal_missing,
  principal_malformed,
  principal_long,
  client_malformed,
  token_id_malformed,
  actor_malformed,
  actors_deep,
  scope_malformed,
  claim_malformed,
  claim_overflow,
  attribute_malformed
};

inline constexpr std::size_t kTokenFaultCount =
    static_cast<std::size_t>(TokenFault::attribute_malformed) + 1;

/// The report of a fault.
struct TokenFaultEntry {
  std::string_view name;      ///< Stable, for counting: `audience_other`.
  std::string_view sentence;  ///< For the record. Without any part of a token.
  TokenFault fault;
  bool is_expiry;  ///< A fresh token of the same kind would do.
};

extern const std::array<TokenFaultEntry, kTokenFaultCount> kTokenFaults;

const TokenFaultEntry& entry_of(TokenFault fault);

}  // namespace bartizan
