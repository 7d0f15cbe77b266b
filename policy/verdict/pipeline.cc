#include "policy/verdict/pipeline.h"

#include <iterator>
#include <optional>
#include <utility>

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

/// Asks one check after the other, and tells the answers, until one denies and does not yield.
template <class Tell>
void Pipeline::ask(const Call& call, Mode mode, const Tell& tell) const {
  for (const Check& check : checks_) {
    Decision decision = check.decide(call);
    const bool is_end = decision.denies() && !yields(check, mode);
    tell(check, std::move(decision));
    if (is_end) return;
  }
}

Verdict Pipeline::judge(const Call& call, std::shared_ptr<const Policy> policy, Mode mode) const {
  Decisions observed;
  // The first check that permits names the rule; later ones can only object. A refusal that yields
  // stands in for a permit, and only in the mode that an operator chose until a date.
  std::optional<const RuleInfo*> permitted_by;
  bool relaxed = false;
  std::optional<Denial> denial;
  ask(call, mode, [&](const Check& check, Decision&& decision) {
    if (check.observed) append(observed, check.observed(call));
    if (decision.permits() && !permitted_by) permitted_by = decision.rule;
    if (!decision.denies()) return;
    if (!yields(check, mode)) {
      denial = Denial{check.name, std::move(decision)};
      return;
    }
    relaxed = true;
    observed.push_back(std::move(decision));
  });
  // An empty message has no bytes to prove anything about; its permit would look moved from.
  const bool granted = (permitted_by || relaxed) && !call.bytes.empty();
  if (!denial && !granted) {
    denial = Denial{"pipeline", Decision::deny(Reason::no_matching_rule)};
  }
  if (denial) {
    denial->observed = std::move(observed);
    return *std::move(denial);
  }
  return Permit(call.bytes, permitted_by.value_or(nullptr), std::move(policy), std::move(observed));
}

std::optional<Denial> Pipeline::find_refusal(const Call& call, Mode mode) const {
  std::optional<Denial> denial;
  ask(call, mode, [&](const Check& check, Decision&& decision) {
    if (check.observed) check.observed(call);
    if (decision.denies() && !yields(check, mode)) {
      denial = Denial{check.name, std::move(decision)};
    }
  });
  return denial;
}

std::vector<CheckAnswer> Pipeline::answers(const Call& call, Mode mode) const {
  std::vector<CheckAnswer> answers;
  ask(call, mode, [&answers](const Check& check, Decision&& decision) {
    answers.push_back({check.name, std::move(decision)});
  });
  return answers;
}

std::vector<std::string_view> Pipeline::names() const {
  std::vector<std::string_view> names;
  for (const Check& check : checks_)
    names.push_back(check.name);
  return names;
}

}  // namespace bartizan
