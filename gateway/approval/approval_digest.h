#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// What somebody approves: all of a call that leaves for its server, who calls, and what the policy
/// said when it asked.
struct ApprovalSubject {
  std::string_view principal;
  std::string_view
      endpoint;  ///< Name of that which the client came to; empty where there are none.
  std::string_view server;
  std::string_view method;
  std::string_view target;            ///< As the server names it: a tool, a prompt, a URI.
  JsonValue params;                   ///< Of the message, as it is judged.
  std::string_view tool_fingerprint;  ///< Of the tool's definition; empty where there is no tool.
  std::string_view policy;            ///< Digest of the policy.
  std::string_view rule;              ///< That wants an approval.
  std::int64_t expires = 0;           ///< Seconds since 1970 UTC.
  /// `bound_params` of `params`, where somebody has it already; empty: it is made for each digest.
  std::string_view bound_params = {};
};

/// All of the parameters that an approval is bound to, in one spelling: all but the progress token.
/// Cost: a canonical copy.
std::string bound_params(JsonValue params);

/// Random for each approval, so that nobody can guess arguments from digests.
using ApprovalSalt = std::array<std::uint8_t, 16>;

/// The digest that an approval is bound to, in lower-case hex: SHA-256 over the salt and all of the
/// subject, each part after its length. Two calls have one digest only where they are the same
/// call: the order and the spelling of members do not count, nor does the progress token, which is
/// an id. Numbers count exactly (`NumberForm::exact`), up to exponents of 17 digits.
///
/// It is no digest of the record's: that one is keyed at random for each process.
/// Cost:   that of `bound_params`, where it is not there.
/// Source: FIPS 180-4; RFC 8785 for the form of objects and strings, not of numbers.
std::string approval_digest(const ApprovalSubject& subject, const ApprovalSalt& salt);

/// The digest of the parameters alone: says of two calls whether it is these that differ.
std::string params_digest(const ApprovalSubject& subject, const ApprovalSalt& salt);

}  // namespace bartizan
