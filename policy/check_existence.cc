#include "policy/check_existence.h"

namespace bartizan {

Decision check_existence(const Call& call) {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  // A quarantined tool may have no usable definition at all, and is still not unknown.
  if (call.facts.tool_quarantined) return Decision::deny(Reason::tool_quarantined);
  if (call.facts.tool == nullptr) return Decision::deny(Reason::tool_unknown);
  return Decision::pass();
}

}  // namespace bartizan
