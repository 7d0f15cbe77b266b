#include "policy/diff_policies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "policy/assume_facts.h"
#include "policy/case_call.h"
#include "policy/compile_policy.h"
#include "policy/diff_callers.h"
#include "policy/diff_edges.h"
#include "policy/diff_scope.h"
#include "policy/diff_settings.h"
#include "policy/diff_targets.h"

namespace bartizan {
namespace {

/// Calls that are tried for one caller and target.
constexpr std::size_t kTriesMax = 3000;
/// How many values of a call that either policy permits are changed at once.
constexpr std::size_t kChangesMax = 2;

/// One of the two, ready to judge.
class Side {
 public:
  Side(const Config& config, const std::vector<PolicyCase>& callers)
      : config_(with_callers(config, callers)), policy_(compile_policy(config_, {})) {}

  const Config& config() const { return config_; }

  /// What is to be found out of the world outside before it can judge.
  std::vector<Question> questions(const DescribedCall& described, const ToolDefinition* definition,
                                  std::int64_t now) const {
    const auto made = CaseCall::make(described, *policy_, definition, now);
    return made.has_value() ? policy_->questions((*made)->call()) : std::vector<Question>();
  }

  /// Whether any such call could be permitted; of methods nobody knows.
  bool shows(const DescribedCall& described, std::int64_t now) const {
    if (described.target_kind == TargetKind::none) return true;
    const auto made = CaseCall::make(described, *policy_, nullptr, now);
    return made.has_value() && policy_->shows(*(*made)->call().principal, described.target_kind,
                                              described.server, described.target, any_call_at(now));
  }

  /// Who is not there may nothing.
  CaseAnswer judge(const DescribedCall& described, const ToolDefinition* definition,
                   std::int64_t now) const {
    const auto made = CaseCall::make(described, *policy_, definition, now);
    if (!made.has_value()) return {.decision = Decision::deny(Reason::principal_unknown)};
    return answer_of(policy_->judge((*made)->call()));
  }

 private:
  Config config_;
  std::shared_ptr<const Policy> policy_;
};

/// What both say of one call.
struct BothAnswers {
  CaseAnswer before, after;

  bool is_permitted_before() const { return !before.decision.denies(); }
  bool is_permitted_after() const { return !after.decision.denies(); }
  bool is_dead() const { return !is_permitted_before() && !is_permitted_after(); }
};

/// Whether another value of that name may change a refusal: the one that it points at, or any where
/// rules refuse, which may ask for it.
bool is_pointed_at(const std::string& name, const CaseAnswer& refusal) {
  const std::string& pointer = refusal.decision.pointer;
  if (pointer.empty()) return refusal.check == "access";
  const std::size_t wildcard = name.find('*');
  return name == pointer || pointer.starts_with(name + "/") || name.starts_with(pointer + "/") ||
         (wildcard != std::string::npos && pointer.starts_with(name.substr(0, wildcard)));
}

/// The calls of one caller and target that are still to be tried: those nearest to what is likely
/// come first. What both policies refuse leads on only by the value that a refusal points at; what
/// one permits leads to all calls that differ from it in few values.
class CallSearch {
 public:
  explicit CallSearch(CallEdges edges) : edges_(std::move(edges)) {
    CallValues likeliest = edges_.required;
    for (const auto& [name, values] : edges_.values) {
      if (!values.empty() && !edges_.unlikely.contains(name))
        likeliest.emplace(name, values.front());
    }
    push({edges_.required});
    push({std::move(likeliest)});
  }

  /// The next call's values; null at the end.
  const CallValues* next() {
    if (waiting_.empty() || tries_ == kTriesMax) return nullptr;
    ++tries_;
    at_ = std::move(waiting_.front());
    waiting_.pop_front();
    return &at_.values;
  }

  /// What was said of the latest one.
  void follow(const BothAnswers& answers) {
    const bool is_dead = answers.is_dead();
    // The first call on the way that either permits is what the others differ from. Until then
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

  bool is_finished() const { return waiting_.empty(); }

 private:
  struct Step {
    CallValues values;
    std::size_t changes = 0;  ///< Since a call that either permits, …
    bool has_permit = false;  ///< … if there was one on the way.
  };

  void push(Step step) {
    // What waits is bounded by what can still be tried.
    if (waiting_.size() + tries_ > 2 * kTriesMax) return;
    if (seen_.insert(step.values).second) waiting_.push_back(std::move(step));
  }

  CallEdges edges_;
  Step at_;
  std::deque<Step> waiting_;
  std::set<CallValues> seen_;
  std::size_t tries_ = 0;
};

/// The newer configuration, with what rules and profiles of the older one say of arguments.
Config joined(const Config& older, const Config& newer) {
  Config both = newer;
  for (const auto& [name, rule] : older.rules)
    both.rules.insert_or_assign("before: " + name, rule);
  both.tools.insert(both.tools.end(), older.tools.begin(), older.tools.end());
  return both;
}

/// What was found for one caller and target.
struct Found {
  std::optional<PolicyChange> gained = {}, lost = {};
  bool has_old = false, has_new = false;  ///< Some call is permitted.

  // What is found in both directions was permitted before, and is.
  bool is_settled() const { return gained.has_value() && lost.has_value(); }
};

class Diff {
 public:
  Diff(const Config& older, const Config& newer, std::int64_t now, std::size_t tries_max)
      : older_config_(older),
        newer_config_(newer),
        older_(older, cases_of_roles(older, newer, older)),
        newer_(newer, cases_of_roles(older, newer, newer)),
        pinned_older_(older),
        joined_(joined(older, newer)),
        scope_(older, newer),
        now_(now),
        tries_max_(tries_max) {
    diff_.settings = diff_settings(older, newer);
    callers_ = find_diff_callers(older, newer);
    targets_ = find_diff_targets(older, newer);
  }

  PolicyDiff run() && {
    for (const DiffCaller& caller : callers_) {
      for (const DiffTarget& target : targets_) {
        if (!scope_.may_differ(caller, target) || !may_call(caller, target)) continue;
        if (tries_ < tries_max_) {
          compare(caller, target);
        } else {
          diff_.unfinished.push_back(target.label);
        }
      }
    }
    diff_.changes = std::move(gained_);
    diff_.changes.insert(diff_.changes.end(), lost_.begin(), lost_.end());
    return std::move(diff_);
  }

 private:
  /// The definition that both are asked with: as it is approved now, or as it was.
  const ToolDefinition* definition_of(const DiffTarget& target, const DescribedCall& call) {
    if (target.kind != TargetKind::tool) return nullptr;
    const bool is_pinned = find_pin(newer_config_, target) != nullptr;
    const ToolDefinition* former =
        is_pinned ? nullptr : pinned_older_.find(target.server, target.name);
    return former != nullptr ? former : definitions_.find(call);
  }

  /// Whether some call could get through in either.
  bool may_call(const DiffCaller& caller, const DiffTarget& target) const {
    const auto call = describe_call(caller, target, {});
    return !call.has_value() || older_.shows(*call, now_) || newer_.shows(*call, now_);
  }

  /// The call with answers to what either policy asks, of which some lead to more questions.
  DescribedCall answered(DescribedCall call, const ToolDefinition* definition,
                         const CallValues& values) const {
    const bool has_answers =
        std::ranges::any_of(values, [](const auto& value) { return is_outside_fact(value.first); });
    std::size_t known = 0;
    for (bool is_open = has_answers; is_open;) {
      for (const Side* side : {&older_, &newer_}) {
        for (const Question& question : side->questions(call, definition, now_))
          call.facts = with_answer(std::move(call.facts), question, values);
      }
      const DescribedFacts& facts = call.facts;
      const std::size_t now_known =
          facts.places.size() + facts.contents.size() + facts.addresses.size();
      is_open = std::exchange(known, now_known) != now_known;
    }
    return call;
  }

  void compare(const DiffCaller& caller, const DiffTarget& target) {
    CallSearch search(find_call_edges(older_config_, newer_config_, scope_, target, now_));
    Found found;
    while (const CallValues* values = search.next()) {
      ++tries_;
      auto call = describe_call(caller, target, *values);
      if (!call.has_value()) continue;
      const ToolDefinition* definition = definition_of(target, *call);
      call = answered(*std::move(call), definition, *values);
      const BothAnswers answers{older_.judge(*call, definition, now_),
                                newer_.judge(*call, definition, now_)};
      note(caller, target, *call, answers, found);
      if (found.is_settled()) break;
      search.follow(answers);
    }
    if (!found.is_settled() && !search.is_finished()) diff_.unfinished.push_back(target.label);
    finish(found);
  }

  static void note(const DiffCaller& caller, const DiffTarget& target, const DescribedCall& call,
                   const BothAnswers& answers, Found& found) {
    found.has_old = found.has_old || answers.is_permitted_before();
    found.has_new = found.has_new || answers.is_permitted_after();
    if (answers.is_permitted_before() == answers.is_permitted_after()) return;
    const bool is_gain = answers.is_permitted_after();
    auto& kept = is_gain ? found.gained : found.lost;
    if (kept.has_value()) return;  // The first has the fewest values that differ.
    const CaseAnswer& refusal = is_gain ? answers.before : answers.after;
    const CaseAnswer& permit = is_gain ? answers.after : answers.before;
    kept = PolicyChange{.kind = is_gain ? PolicyChange::Kind::gained : PolicyChange::Kind::lost,
                        .role = caller.role,
                        .principal = caller.principal,
                        .what = target.label,
                        .pointer = refusal.decision.pointer,
                        .witness = call,
                        .reason = refusal.decision.reason,
                        .check = std::string(refusal.check),
                        .rule = std::string(refusal.decision.rule_name()),
                        .permitted_by = std::string(permit.decision.rule_name())};
  }

  void finish(Found& found) {
    if (found.gained.has_value()) {
      found.gained->is_whole = !found.has_old;
      add(*std::move(found.gained));
    }
    if (found.lost.has_value()) {
      found.lost->is_whole = !found.has_new;
      add(*std::move(found.lost));
    }
  }

  /// What one of a principal's roles gains or loses is told once, of the role.
  void add(PolicyChange change) {
    auto& changes = change.kind == PolicyChange::Kind::gained ? gained_ : lost_;
    const bool is_told = std::ranges::any_of(changes, [&](const PolicyChange& told) {
      return told.what == change.what && told.is_whole == change.is_whole &&
             told.pointer == change.pointer && told.permitted_by == change.permitted_by &&
             told.rule == change.rule && keeps_role(change.principal, told.role);
    });
    if (!is_told) changes.push_back(std::move(change));
  }

  /// Whether a principal has a role under both policies.
  bool keeps_role(const std::string& id, const std::string& role) const {
    return std::ranges::all_of(
        std::array{&older_config_, &newer_config_}, [&](const Config* config) {
          const auto found = config->principals.find(id);
          return found != config->principals.end() &&
                 std::ranges::find(found->second.roles, role) != found->second.roles.end();
        });
  }

  const Config& older_config_;
  const Config& newer_config_;
  Side older_, newer_;  ///< With a principal for each role.
  PinnedDefinitions pinned_older_;
  DescribedDefinitions none_;
  Config joined_;  ///< All that either names of tools, which their definitions are assumed from.
  Definitions definitions_{joined_, none_};
  DiffScope scope_;
  std::int64_t now_;
  std::size_t tries_max_;
  std::size_t tries_ = 0;
  std::vector<DiffCaller> callers_;
  std::set<DiffTarget> targets_;
  std::vector<PolicyChange> gained_, lost_;
  PolicyDiff diff_;
};

}  // namespace

PolicyDiff diff_policies(const Config& older, const Config& newer, std::int64_t now,
                         std::size_t tries_max) {
  PolicyDiff diff = Diff(older, newer, now, tries_max).run();
  std::ranges::sort(diff.unfinished);
  const auto again = std::ranges::unique(diff.unfinished);
  diff.unfinished.erase(again.begin(), again.end());
  return diff;
}

}  // namespace bartizan
