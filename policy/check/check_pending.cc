#include "policy/check/check_pending.h"

namespace bartizan {

Decision check_pending(const Call& call) {
  const bool names_a_request =
      call.message.is_answer() || call.message.known->id == MethodId::notifications_cancelled;
  if (!names_a_request) return Decision::pass();
  if (!call.facts.names_own_pending_request) return Decision::deny(Reason::not_pending);
  return Decision::permit(nullptr);
}

}  // namespace bartizan
