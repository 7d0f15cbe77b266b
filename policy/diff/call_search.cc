#include "policy/diff/call_search.h"

#include <utility>

namespace bartizan {
namespace {

/// The most calls that are tried for one caller and target.
constexpr std::size_t kTriesMax = 3000;
/// The most values in which a call may differ from one that either policy permits.
constexpr std::size_t kChangesMax = 2;

/// Whether another value of that name may change a refusal: the value that the refusal points at,
/// or any value if rules refuse.
bool is_pointed_at(const std::string& name, const CaseAnswer& refusal) {
  const std::string& pointer = refusal.decision.pointer;
  if (pointer.empty()) return refusal.check == "access";
  const std::size_t wildcard = name.find('*');
  return name == pointer || pointer.starts_with(name + "/") || name.starts_with(pointer + "/") ||
         (wildcard != std::string::npos && pointer.starts_with(name.substr(0, wildcard)));
}

}  // namespace

CallSearch::CallSearch(const CallEdges& edges) : edges_(edges) {
  CallValues likeliest = edges_.required;
  for (const auto& [name, values] : edges_.values) {
    if (!values.empty() && !edges_.unlikely.contains(name)) likeliest.emplace(name, values.front());
  }
  push({edges_.required});
  push({std::move(likeliest)});
}

const CallValues* CallSearch::next() {
  if (waiting_.empty() || tries_ == kTriesMax) return nullptr;
  ++tries_;
  at_ = std::move(waiting_.front());
  waiting_.pop_front();
  return &at_.values;
}

void CallSearch::follow(const BothAnswers& answers) {
  const bool is_dead = answers.is_dead();
  // The other calls differ from the first call on the way that either policy permits. Until then,
  // refusals point the way, or nothing does.
  const bool has_permit = at_.has_permit || !is_dead;
  const std::size_t changes = has_permit && !at_.has_permit ? 0 : at_.changes;
  if (changes == kChangesMax) return;
  const bool is_pointed =
      !answers.before.decision.pointer.empty() || !answers.after.decision.pointer.empty();
  const std::size_t next = has_permit || !is_pointed ? changes + 1 : changes;
  for (const auto& [name, values] : edges_.values) {
    if (is_dead && !is_pointed_at(name, answers.before) && !is_pointed_at(name, answers.after))
      continue;
    for (const std::string& value : values) {
      Step step{at_.values, next, has_permit};
      step.values[name] = value;
      push(std::move(step));
    }
    Step without{at_.values, next, has_permit};
    if (without.values.erase(name) > 0) push(std::move(without));
  }
}

void CallSearch::push(Step step) {
  // The queue is bounded by the calls that can still be tried.
  if (waiting_.size() + tries_ > 2 * kTriesMax) return;
  if (seen_.insert(step.values).second) waiting_.push_back(std::move(step));
}

}  // namespace bartizan
