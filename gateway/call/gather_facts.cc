#include <iterator>
#include <utility>
#include <vector>

#include "gateway/call/call_steps.h"

namespace bartizan {

std::vector<FactQuery> unresolved_facts(const CallFrame& frame) {
  if (frame.gatherings >= limits::gatherings_max) return {};
  return frame.policy().questions(frame.call);
}

Task<void> gather_facts(CallFrame& frame, std::vector<FactQuery> questions) {
  ++frame.gatherings;
  std::vector<GatheredFact> facts = co_await frame.worker.gateway.facts.gather(
      frame.worker.loop, frame.principal().id, std::move(questions));
  std::vector<GatheredFact>& known = frame.call.facts.gathered;
  known.insert(known.end(), std::make_move_iterator(facts.begin()),
               std::make_move_iterator(facts.end()));
}

void forget_facts(CallFrame& frame) {
  frame.call.facts.gathered.clear();
  frame.gatherings = 0;
}

}  // namespace bartizan
