#include "policy/pipeline.h"

#include <iterator>
#include <optional>

namespace bartizan {
namespace {

using Decisions = std::vector<Decision>;

void append(Decisions& all, Decisions more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool yields(const Check& check, Pipeline::Mode mode) {
  return mode == Pipeline::Mode::observe && check.kind == Check::Kind::yields_to_observe;
}

}  // namespace

Verdict Pipeline::judge(Call& call, std::shared_ptr<const Policy> policy, Mode mode) const {
  Decisions observed;
  // The first check that permits names the rule; later ones can only object. A refusal that yields
  // stands in for a permit, and only in the mode that an operator chose until a date.
  std::optional<const RuleInfo*> permitted_by;
  bool relaxed = false;
  for (const Check& check : checks_) {
    if (check.observed) append(observed, check.observed(call));
    Decision decision = check.decide(call);
    if (decision.permits() && !permitted_by) permitted_by = decision.rule;
    if (!decision.denies()) continue;
    if (!yields(check, mode)) return Denial{check.name, std::move(decision), std::move(observed)};
    relaxed = true;
    observed.push_back(std::move(decision));
  }
  // An empty message has no bytes to prove anything about; its permit would look moved from.
  const bool granted = (permitted_by || relaxed) && !call.bytes.empty();
  if (!granted) {
    return Denial{"pipeline", Decision::deny(Reason::no_matching_rule), std::move(observed)};
  }
  return Permit(std::move(call.bytes), permitted_by.value_or(nullptr), std::move(policy),
                std::move(observed));
}

}  // namespace bartizan
