#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/store/approvals.h"
#include "gateway/token/record_key.h"

namespace bartizan {

/// What the header of a signed decision says that it is: ours, and those that are signed elsewhere.
inline constexpr std::string_view kApprovalType = "bartizan-approval+jwt";
/// What the header of a statement about a signing key says that it is.
inline constexpr std::string_view kSigningKeyType = "bartizan-key+jwt";

/// The claims of what somebody answered, as a JSON object: what the approval is bound to, who
/// decided what, and where the request stands then.
///
/// Input: a step with an answer; `issuer`, the id of the key that signs. A target that is longer
///        than `kTargetClaimMax` is named by its SHA-256, as `target_sha256`. `answer->proof`,
///        where the answer was signed elsewhere, is the claim `signed`.
std::string decision_claims(const ApprovalStep& step, std::string_view issuer);
inline constexpr std::size_t kTargetClaimMax = 1024;

/// The decision as a compact JWS. Errors: those of `RecordKey::sign`.
Result<std::string> sign_decision(const RecordKey& key, const ApprovalStep& step);

/// The statement that the gateway signs by `key` from then on, as a compact JWS: signed by the key
/// before it, which whoever trusted that one verifies; by itself where `previous` is null.
/// Errors: those of `RecordKey::sign`.
Result<std::string> sign_key_statement(const RecordKey& key, const RecordKey* previous,
                                       std::int64_t now);

}  // namespace bartizan
