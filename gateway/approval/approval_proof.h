#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/store/approvals.h"
#include "gateway/token/record_key.h"

namespace bartizan {

/// The `typ` in the header of a signed decision, whether signed here or elsewhere.
inline constexpr std::string_view kApprovalType = "bartizan-approval+jwt";
/// The `typ` in the header of a statement about a signing key.
inline constexpr std::string_view kSigningKeyType = "bartizan-key+jwt";

/// The claims of a decision, as a JSON object: what the approval is bound to, who decided what, and
/// the resulting state of the request.
///
/// Input: a step with an answer; `issuer`, the id of the signing key. A target longer than
/// `kTargetClaimMax` is replaced by its SHA-256, as `target_sha256`. The claim `signed` is
/// `answer->proof`, if the answer was signed elsewhere.
std::string decision_claims(const ApprovalStep& step, std::string_view issuer);
inline constexpr std::size_t kTargetClaimMax = 1024;

/// The decision as a compact JWS. Errors: those of `RecordKey::sign`.
Result<std::string> sign_decision(const RecordKey& key, const ApprovalStep& step);

/// The statement that the gateway signs with `key` from now on, as a compact JWS. The previous key
/// signs it, so whoever trusts that key can verify it. If `previous` is null, it is self-signed.
/// Errors: those of `RecordKey::sign`.
Result<std::string> sign_key_statement(const RecordKey& key, const RecordKey* previous,
                                       std::int64_t now);

}  // namespace bartizan
