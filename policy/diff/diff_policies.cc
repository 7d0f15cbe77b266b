#include "policy/diff/diff_policies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "policy/check/compile_policy.h"
#include "policy/diff/call_search.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_edges.h"
#include "policy/diff/diff_endpoints.h"
#include "policy/diff/diff_groups.h"
#include "policy/diff/diff_place.h"
#include "policy/diff/diff_scope.h"
#include "policy/diff/diff_settings.h"
#include "policy/diff/diff_targets.h"
#include "policy/diff/gather_changes.h"
#include "policy/diff/target_entries.h"
#include "policy/diff/week_moments.h"
#include "policy/explain/assume_definition.h"
#include "policy/explain/assume_facts.h"
#include "policy/explain/case_call.h"
#include "policy/explain/pinned_definitions.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

/// The calls between two reports of progress: some reports a second.
constexpr std::size_t kCallsPerProgress = 500;
/// The targets between two questions whether the comparison is over.
constexpr std::size_t kTargetsPerLook = 100;

/// The tools and prompts to ask about, for which policies are compiled.
KnownNames names_of(const std::set<DiffTarget>& targets) {
  KnownNames names;
  for (const DiffTarget& target : targets) {
    if (target.kind == TargetKind::tool) names.tools[target.server].push_back(target.name);
    if (target.kind == TargetKind::prompt) names.prompts[target.server].push_back(target.name);
  }
  return names;
}

/// One of the two policies, ready to judge.
class Side {
 public:
  Side(const Config& config, const std::vector<PolicyCase>& callers, const KnownNames& names)
      : config_(with_callers(config, callers)), policy_(compile_policy(config_, names)) {}

  const Config& config() const { return config_; }

  /// The facts about the disk and DNS that it needs before it can judge.
  std::vector<FactQuery> questions(const DescribedCall& described, const ToolDefinition* definition,
                                   std::int64_t now) const {
    const auto made = CaseCall::make(described, *policy_, definition, now);
    return made.has_value() ? policy_->questions((*made)->call()) : std::vector<FactQuery>();
  }

  /// Whether any such call could be permitted at one of these moments, of which there is at least
  /// one. True for methods.
  bool shows(const DescribedCall& described, std::span<const std::int64_t> moments) const {
    if (described.target_kind == TargetKind::none) return true;
    const auto made = CaseCall::make(described, *policy_, nullptr, moments.front());
    if (!made.has_value()) return false;
    const Principal& principal = *(*made)->call().principal;
    return std::ranges::any_of(moments, [&](std::int64_t moment) {
      return policy_->shows(principal, described.target_kind, described.server, described.target,
                            any_call_at(moment, described.facts.endpoint));
    });
  }

  /// A caller that does not exist has no permissions.
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

/// The newer configuration, together with the predicates of the older one's rules and profiles on
/// arguments.
Config joined(const Config& older, const Config& newer) {
  Config both = newer;
  for (const auto& [name, rule] : older.rules)
    both.rules.insert_or_assign("before: " + name, rule);
  both.tools.insert(both.tools.end(), older.tools.begin(), older.tools.end());
  return both;
}

/// A found change, with the values of its call.
struct Kept {
  PolicyChange change = {};
  CallValues values = {};
};

/// The findings for a group of callers and of targets.
struct Found {
  std::optional<Kept> gained = {}, lost = {};
  bool has_old = false, has_new = false;  ///< Whether some call is permitted.

  // If both directions are found, calls were and are permitted, so that nothing is left to find.
  bool is_settled() const { return gained.has_value() && lost.has_value(); }
};

/// The moments at which some call may pass: now; if a rule has a time condition, any time of a
/// week. A rule with a window that is closed now still counts.
std::vector<std::int64_t> moments(const Config& older, const Config& newer, std::int64_t now) {
  const std::array<const Config*, 2> both{&older, &newer};
  std::vector<std::int64_t> all = week_moments(both, now);
  all.insert(all.begin(), now);  // Nearly always the answer.
  return all;
}

class Diff {
 public:
  Diff(const Config& older, const Config& newer, std::int64_t now, const DiffEffort& effort)
      : older_config_(older),
        newer_config_(newer),
        callers_(find_diff_callers(older, newer)),
        targets_(find_diff_targets(older, newer)),
        older_entries_(older),
        newer_entries_(newer),
        scope_(older_entries_, newer_entries_),
        now_(now),
        moments_(moments(older, newer, now)),
        effort_(effort) {
    diff_.settings = diff_settings(older, newer);
    for (auto diff : {diff_endpoints, diff_issuers}) {
      for (SettingChange& change : diff(older, newer))
        diff_.settings.push_back(std::move(change));
    }
  }

  PolicyDiff run() && {
    std::vector<std::vector<DiffTarget>> groups;
    if (is_over()) {
      leave(targets_);
      targets_.clear();
    } else {
      leave_out_the_same();
    }
    if (is_over()) {
      leave(targets_);
    } else if (!targets_.empty()) {
      make_sides();
      groups = group_targets(older_entries_, newer_entries_, targets_);
    }
    std::vector<Pair> pairs;
    for (const std::vector<DiffTarget>& targets : groups) {
      if (is_over()) {
        leave(targets);
      } else {
        add_pairs(targets, pairs);
      }
    }
    progress_.of = pairs.size();
    for (const Pair& pair : pairs) {
      if (progress_.calls < effort_.tries_max && !is_over()) {
        compare(pair);
      } else {
        leave(pair.targets);
      }
      ++progress_.groups;
    }
    if (effort_.progress) effort_.progress(progress_);
    diff_.changes = gather_changes(older_config_, newer_config_, callers_, found_);
    return std::move(diff_);
  }

 private:
  /// Callers and targets that both policies answer alike.
  struct Pair {
    std::vector<DiffCaller> callers;
    const std::vector<DiffTarget>& targets;
  };

  bool is_over() const { return effort_.is_over && effort_.is_over(); }

  /// Removes targets without changes, which most are. Nothing is prepared for them.
  void leave_out_the_same() {
    const bool has_same_callers = std::ranges::all_of(
        callers_, [this](const DiffCaller& caller) { return scope_.is_same_caller(caller); });
    if (!has_same_callers) return;
    std::size_t asked = 0;
    bool is_cut = false;
    std::erase_if(targets_, [&](const DiffTarget& target) {
      is_cut = is_cut || (++asked % kTargetsPerLook == 0 && is_over());
      return !is_cut && !scope_.may_differ(target);
    });
  }

  void make_sides() {
    if (targets_.empty()) return;
    const KnownNames names = names_of(targets_);
    older_.emplace(older_config_, cases_of_roles(older_config_, newer_config_, older_config_),
                   names);
    newer_.emplace(newer_config_, cases_of_roles(older_config_, newer_config_, newer_config_),
                   names);
  }

  void add_pairs(const std::vector<DiffTarget>& targets, std::vector<Pair>& pairs) const {
    const DiffTarget& target = targets.front();
    for (auto& callers : group_callers(older_entries_, newer_entries_, callers_, target)) {
      if (!scope_.may_differ(callers.front(), target) || !may_call(callers.front(), target))
        continue;
      pairs.push_back({std::move(callers), targets});
    }
  }

  /// Made on demand. Pairs of the same targets follow each other.
  const CallEdges& edges_of(const Pair& pair) {
    if (edges_targets_ != &pair.targets) {
      edges_ = find_call_edges(older_config_, newer_config_, scope_, pair.targets.front(), now_);
      edges_targets_ = &pair.targets;
    }
    return edges_;
  }

  void leave(const auto& targets) {
    for (const DiffTarget& target : targets)
      diff_.unfinished.push_back(target.label);
  }

  /// The definition for both policies: the one approved now, the one approved before, or an assumed
  /// one.
  const ToolDefinition* definition_of(const DiffTarget& target) {
    if (target.kind != TargetKind::tool) return nullptr;
    const auto known = definitions_.find(target);
    if (known != definitions_.end()) return &known->second;
    const PinnedTool* pinned = find_pin(newer_config_, target);
    if (pinned == nullptr) pinned = find_pin(older_config_, target);
    std::optional<ToolDefinition> definition;
    if (pinned != nullptr) {
      auto read = read_listed_tool(pinned->definition, kResponseLimits);
      if (read.has_value()) definition = *std::move(read);
      // Changes of approved definitions are compared with the lock files, not here.
      if (definition.has_value())
        definition->standing =
            std::make_shared<const ToolStanding>(ToolStanding{.kind = ToolStanding::Kind::assumed});
    }
    if (!definition.has_value()) {
      if (!joined_.has_value()) joined_ = joined(older_config_, newer_config_);
      definition = assume_definition(*joined_, target.server, target.name);
    }
    return &definitions_.emplace(target, *std::move(definition)).first->second;
  }

  /// Whether some call could pass under either policy.
  bool may_call(const DiffCaller& caller, const DiffTarget& target) const {
    const auto call = describe_call(caller, target, {});
    return !call.has_value() || older_->shows(*call, moments_) || newer_->shows(*call, moments_);
  }

  /// The call with answers to the questions of either policy. An answer may lead to more questions.
  DescribedCall answered(DescribedCall call, const ToolDefinition* definition,
                         const CallValues& values) const {
    const bool has_answers =
        std::ranges::any_of(values, [](const auto& value) { return is_outside_fact(value.first); });
    std::size_t known = 0;
    for (bool is_open = has_answers; is_open;) {
      for (const Side* side : {&*older_, &*newer_}) {
        for (const FactQuery& question : side->questions(call, definition, now_))
          call.facts = with_answer(std::move(call.facts), question, values);
      }
      const DescribedFacts& facts = call.facts;
      const std::size_t now_known =
          facts.places.size() + facts.contents.size() + facts.addresses.size();
      is_open = std::exchange(known, now_known) != now_known;
    }
    return call;
  }

  /// The answers of both to the call with these values; nothing if there is no such call.
  struct Asked {
    DescribedCall call;
    BothAnswers answers;
  };
  std::optional<Asked> ask(const Pair& pair, const CallValues& values) {
    if (++progress_.calls % kCallsPerProgress == 0 && effort_.progress) effort_.progress(progress_);
    const DiffTarget& target = pair.targets.front();
    auto call = describe_call(pair.callers.front(), target, values);
    if (!call.has_value()) return std::nullopt;
    const ToolDefinition* definition = definition_of(target);
    call = answered(*std::move(call), definition, values);
    BothAnswers answers{older_->judge(*call, definition, now_),
                        newer_->judge(*call, definition, now_)};
    return Asked{*std::move(call), std::move(answers)};
  }

  void compare(const Pair& pair) {
    CallSearch search(edges_of(pair));
    Found found;
    bool is_cut = false;
    while (const CallValues* values = search.next()) {
      is_cut = is_over();
      if (is_cut) break;
      auto asked = ask(pair, *values);
      if (!asked.has_value()) continue;
      search.follow(asked->answers);
      note(*std::move(asked), *values, found);
      if (found.is_settled()) break;
    }
    if (!found.is_settled() && (is_cut || !search.is_finished())) leave(pair.targets);
    finish(pair, found);
  }

  static PolicyChange change_of(Asked asked) {
    const bool is_gain = asked.answers.is_permitted_after();
    const CaseAnswer& refusal = is_gain ? asked.answers.before : asked.answers.after;
    const CaseAnswer& permit = is_gain ? asked.answers.after : asked.answers.before;
    return {.kind = is_gain ? PolicyChange::Kind::gained : PolicyChange::Kind::lost,
            .pointer = refusal.decision.pointer,
            .witness = std::move(asked.call),
            .reason = refusal.decision.reason,
            .check = std::string(refusal.check),
            .rule = std::string(refusal.decision.rule_name()),
            .permitted_by = std::string(permit.decision.rule_name())};
  }

  static bool is_difference(const BothAnswers& answers) {
    return answers.is_permitted_before() != answers.is_permitted_after();
  }

  static void note(Asked asked, const CallValues& values, Found& found) {
    found.has_old = found.has_old || asked.answers.is_permitted_before();
    found.has_new = found.has_new || asked.answers.is_permitted_after();
    if (!is_difference(asked.answers)) return;
    auto& kept = asked.answers.is_permitted_after() ? found.gained : found.lost;
    if (kept.has_value()) return;  // The first has the fewest different values.
    kept = Kept{.change = change_of(std::move(asked)), .values = values};
  }

  /// Removes values as long as the answers to the call stay the same.
  void shrink(const Pair& pair, Kept& kept) {
    bool is_open = true;
    while (is_open) {
      is_open = false;
      for (const auto& [name, value] : CallValues(kept.values)) {
        CallValues fewer = kept.values;
        fewer.erase(name);
        auto asked = ask(pair, fewer);
        if (!asked.has_value() || !is_difference(asked->answers)) continue;
        PolicyChange change = change_of(*std::move(asked));
        const PolicyChange& former = kept.change;
        const bool is_same = change.kind == former.kind && change.reason == former.reason &&
                             change.pointer == former.pointer && change.rule == former.rule &&
                             change.permitted_by == former.permitted_by;
        if (!is_same) continue;
        kept = {.change = std::move(change), .values = std::move(fewer)};
        is_open = true;
      }
    }
  }

  void finish(const Pair& pair, Found& found) {
    const auto add = [&](std::optional<Kept>& kept, bool is_whole) {
      if (!kept.has_value()) return;
      shrink(pair, *kept);
      PolicyChange& change = kept->change;
      change.is_whole = is_whole;
      change.callers = pair.callers;
      DiffPlace place = place_of_change(older_config_, newer_config_, pair.targets.front(), change);
      change.where = std::move(place.where);
      change.where_in = place.in;
      found_.push_back({.change = std::move(change), .targets = pair.targets});
    };
    add(found.gained, !found.has_old);
    add(found.lost, !found.has_new);
  }

  const Config& older_config_;
  const Config& newer_config_;
  std::vector<DiffCaller> callers_;
  std::set<DiffTarget> targets_;
  TargetEntries older_entries_, newer_entries_;
  std::optional<Side> older_, newer_;  ///< With a principal for each role.
  /// Joined tools of both, from which definitions are assumed.
  std::optional<Config> joined_;
  std::map<DiffTarget, ToolDefinition> definitions_;  ///< The definitions in use.
  CallEdges edges_;                                   ///< Of the latest pair.
  const std::vector<DiffTarget>* edges_targets_ = nullptr;
  DiffScope scope_;
  std::int64_t now_;
  std::vector<std::int64_t> moments_;
  const DiffEffort& effort_;
  DiffProgress progress_;
  std::vector<FoundChange> found_;
  PolicyDiff diff_;
};

}  // namespace

PolicyDiff diff_policies(const Config& older, const Config& newer, std::int64_t now,
                         const DiffEffort& effort) {
  PolicyDiff diff = Diff(older, newer, now, effort).run();
  keep_each_once(diff.unfinished);
  return diff;
}

}  // namespace bartizan
