#include "policy/check/check_endpoint.h"

namespace bartizan {

Decision check_endpoint(const EndpointViews& views, const Call& call) {
  if (call.server.empty()) return Decision::pass();
  if (views.shows(call.facts.endpoint, call.target_kind, call.server, call.target)) {
    return Decision::pass();
  }
  Decision decision = Decision::deny(Reason::not_at_endpoint);
  decision.is_hidden = true;
  return decision;
}

}  // namespace bartizan
