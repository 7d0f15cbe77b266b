#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// The subject of an approval: all of a call as its server will get it, its caller, and the policy
/// at the time of the request.
struct ApprovalSubject {
  std::string_view principal;
  std::string_view endpoint;  ///< Name of the client's endpoint; empty if there are no endpoints.
  std::string_view server;
  std::string_view method;
  std::string_view target;            ///< The server's own name: a tool, a prompt, a URI.
  JsonValue params;                   ///< Of the message, as it is judged.
  std::string_view tool_fingerprint;  ///< Of the tool's definition; empty without a tool.
  std::string_view policy;            ///< Digest of the policy.
  std::string_view rule;              ///< The rule that requires the approval.
  std::int64_t expires = 0;           ///< Seconds since 1970 UTC.
  /// `bound_params` of `params`, if it was made already. If it is empty, each digest makes it.
  std::string_view bound_params = {};
};

/// The parameters that an approval is bound to, in canonical form. Left out are the members of
/// `_meta` that only identify the request: the progress token and correlation ids.
/// Cost: a canonical copy.
std::string bound_params(JsonValue params);

/// Random for each approval, so that nobody can guess arguments from digests.
using ApprovalSalt = std::array<std::uint8_t, 16>;

/// The digest that an approval is bound to, in lower-case hex: SHA-256 over the salt and the whole
/// subject, each part after its length. Two calls have the same digest only if they are the same
/// call. The order and the spelling of members do not matter, nor do the ids that `bound_params`
/// leaves out. Numbers count exactly (`NumberForm::exact`), up to exponents of 17 digits.
///
/// It differs from the digests in the record, which are keyed at random for each process.
/// Cost:   that of `bound_params`, if it was not made already.
/// Source: FIPS 180-4; RFC 8785 for the form of objects and strings, not of numbers.
std::string approval_digest(const ApprovalSubject& subject, const ApprovalSalt& salt);

/// The digest of the parameters alone: shows whether two calls differ in them.
std::string params_digest(const ApprovalSubject& subject, const ApprovalSalt& salt);

}  // namespace bartizan
