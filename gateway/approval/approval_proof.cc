#include "gateway/approval/approval_proof.h"

#include "schemas/base/sha256.h"
#include "schemas/json/json_members.h"

namespace bartizan {

std::string decision_claims(const ApprovalStep& step, std::string_view issuer) {
  const ApprovalRequest& request = step.request;
  const ApprovalAnswer& answer = *step.answer;
  // An approval in force has an end of its own; other requests have that of their digest.
  const bool holds = request.state == ApprovalState::approved;
  JsonMembers claims;
  claims.add("iss", issuer);
  claims.add("iat", answer.at);
  claims.add("exp", holds ? request.ends_at : request.expires);
  claims.add("approval", request.id);
  claims.add("digest", request.digest);
  claims.add("principal", request.principal);
  if (!request.endpoint.empty()) claims.add("endpoint", request.endpoint);
  claims.add("server", request.server);
  claims.add("method", request.method);
  if (request.target.size() <= kTargetClaimMax) {
    claims.add("target", request.target);
  } else {
    claims.add("target_sha256", sha256_hex(request.target));
  }
  claims.add("rule", request.rule);
  claims.add("policy", request.policy);
  claims.add("decision", answer.approves ? "approve" : "deny");
  claims.add("approver", answer.approver);
  claims.add("state", text(request.state));
  if (!answer.proof.empty()) claims.add("signed", answer.proof);
  return std::move(claims).text();
}

Result<std::string> sign_decision(const RecordKey& key, const ApprovalStep& step) {
  return key.sign(kApprovalType, decision_claims(step, key.id()));
}

Result<std::string> sign_key_statement(const RecordKey& key, const RecordKey* previous,
                                       std::int64_t now) {
  const RecordKey& signer = previous == nullptr ? key : *previous;
  JsonMembers claims;
  claims.add("iss", signer.id());
  claims.add("iat", now);
  claims.add("kid", key.id());
  claims.add_raw("jwk", key.jwk());
  if (previous != nullptr) claims.add("previous", previous->id());
  return signer.sign(kSigningKeyType, std::move(claims).text());
}

}  // namespace bartizan
