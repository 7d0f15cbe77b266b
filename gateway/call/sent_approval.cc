#include "gateway/call/sent_approval.h"

#include <string>
#include <string_view>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The last decision that approves the call: its claims say that the request is approved then.
std::string_view find_proof(const CallFrame& frame) {
  std::string_view proof;
  std::int64_t at = 0;
  for (const Approvals::Found& found : frame.approvals) {
    for (const ApprovalAnswer& answer : found.answers) {
      if (!answer.approves || answer.proof.empty() || answer.at < at) continue;
      proof = answer.proof;
      at = answer.at;
    }
  }
  return proof;
}

}  // namespace

void splice_approval(const CallFrame& frame, Permit& permit) {
  if (frame.method() != MethodId::tools_call) return;
  if (frame.target.server == nullptr || !frame.target.server->agent.has_value()) return;
  const JsonValue params = frame.message().params;
  // Without a key of the gateway's, a proof is what somebody else signed.
  const bool is_signed =
      frame.snapshot().config.approvals.signing_key.kind != SecretReference::Kind::none;
  const std::string_view proof = is_signed ? find_proof(frame) : std::string_view();
  const std::string said = proof.empty() ? "null" : json_string(proof);
  if (const JsonValue own = params.find("approved_by")) {
    return permit.splice(SpliceKind::approved_by, own.range(), said);
  }
  if (proof.empty()) return;
  // The call has a name, so that members follow.
  const std::size_t begin = params.range().begin + 1;
  permit.splice(SpliceKind::approved_by, {begin, begin}, R"("approved_by":)" + said + ",");
}

}  // namespace bartizan
