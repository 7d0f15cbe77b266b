#include "policy/diff/gather_changes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "config/load/call_json.h"
#include "policy/diff/diff_scope.h"
#include "policy/text/argument_pointer.h"

namespace bartizan {
namespace {

/// The profiles with a predicate on the argument that makes the difference.
std::vector<const ToolProfile*> asking(const Config& config, const DiffTarget& target,
                                       const std::string& pointer) {
  std::vector<const ToolProfile*> found = profiles_about(config, target);
  std::erase_if(found, [&](const ToolProfile* profile) {
    return std::ranges::none_of(profile->arguments, [&](const ArgumentPredicate& argument) {
      return selects(argument.pointer, pointer);
    });
  });
  return found;
}

/// The parts of a sentence beside callers and targets.
using Sentence =
    std::tuple<bool, Reason, std::string, std::string, std::string, std::string, std::string,
               std::string, std::vector<const ToolProfile*>, std::vector<const ToolProfile*>>;

Sentence sentence_of(const Config& older, const Config& newer, const FoundChange& found) {
  const PolicyChange& change = found.change;
  DescribedCall call = change.witness;
  call.principal.clear();
  call.roles.clear();
  call.server.clear();
  call.target.clear();
  if (call.target_kind == TargetKind::none) call.method.clear();
  const DiffTarget& target = found.targets.front();
  return {change.is_whole,
          change.reason,
          change.pointer,
          change.check,
          change.rule,
          change.permitted_by,
          change.where,
          call_json(call),
          asking(older, target, change.pointer),
          asking(newer, target, change.pointer)};
}

/// Gathers the changes of one kind.
class Gathering {
 public:
  Gathering(const Config& older, const Config& newer, const std::vector<DiffCaller>& callers)
      : older_(older), newer_(newer) {
    for (const DiffCaller& caller : callers)
      order_.emplace(caller, order_.size());
  }

  void add(const FoundChange& found) {
    const auto [sentence, is_new] =
        sentences_.try_emplace(sentence_of(older_, newer_, found), firsts_.size());
    if (is_new) firsts_.push_back(&found.change);
    for (const DiffCaller& caller : found.change.callers) {
      for (const DiffTarget& target : found.targets)
        told_[order_.at(caller)][target] = sentence->second;
    }
  }

  std::vector<PolicyChange> run() && {
    std::vector<PolicyChange> changes;
    // The index of a change by sentence and targets, to add callers to it.
    std::map<std::pair<std::size_t, std::vector<DiffTarget>>, std::size_t> places;
    std::vector<DiffCaller> callers(order_.size());
    for (const auto& [caller, place] : order_)
      callers[place] = caller;
    for (const auto& [caller, told] : told_) {
      std::map<std::size_t, std::vector<DiffTarget>> by_sentence;
      std::vector<std::size_t> sentences;  // In the order of their first targets.
      for (const auto& [target, sentence] : told) {
        if (is_told_of_role(callers[caller], target, sentence)) continue;
        if (!by_sentence.contains(sentence)) sentences.push_back(sentence);
        by_sentence[sentence].push_back(target);
      }
      for (const std::size_t sentence : sentences) {
        std::vector<DiffTarget>& targets = by_sentence[sentence];
        const PolicyChange& first = *firsts_[sentence];
        const DiffTarget& target = targets.front();
        const auto [place, is_new] =
            places.try_emplace(std::pair(sentence, targets), changes.size());
        if (is_new) changes.push_back(change_of(first, callers[caller], target, targets));
        changes[place->second].callers.push_back(callers[caller]);
      }
    }
    return changes;
  }

 private:
  static PolicyChange change_of(const PolicyChange& first, const DiffCaller& caller,
                                const DiffTarget& target, const std::vector<DiffTarget>& targets) {
    PolicyChange change = first;
    change.callers.clear();
    for (const DiffTarget& one : targets)
      change.what.push_back(one.label);
    DescribedCall& witness = change.witness;
    witness.principal = caller.principal;
    witness.roles.clear();
    if (caller.principal.empty()) witness.roles = {caller.role};
    witness.server = target.server;
    if (target.kind == TargetKind::none) {
      witness.method = target.name;
    } else {
      witness.target = target.name;
    }
    return change;
  }

  /// Whether a role that the principal has under both policies has the same change.
  bool is_told_of_role(const DiffCaller& caller, const DiffTarget& target,
                       std::size_t sentence) const {
    if (caller.principal.empty()) return false;
    const auto before = older_.principals.find(caller.principal);
    const auto after = newer_.principals.find(caller.principal);
    if (before == older_.principals.end() || after == newer_.principals.end()) return false;
    return std::ranges::any_of(before->second.roles, [&](const std::string& role) {
      const auto& kept = after->second.roles;
      if (std::ranges::find(kept, role) == kept.end()) return false;
      const auto place = order_.find(DiffCaller{.role = role});
      if (place == order_.end()) return false;
      const auto told = told_.find(place->second);
      if (told == told_.end()) return false;
      const auto same = told->second.find(target);
      return same != told->second.end() && says_the_same(same->second, sentence);
    });
  }

  /// A principal may have the same change with another example call.
  bool says_the_same(std::size_t one, std::size_t other) const {
    const PolicyChange& left = *firsts_[one];
    const PolicyChange& right = *firsts_[other];
    return left.is_whole == right.is_whole && left.pointer == right.pointer &&
           left.permitted_by == right.permitted_by && left.rule == right.rule &&
           left.reason == right.reason && left.check == right.check;
  }

  const Config& older_;
  const Config& newer_;
  std::map<DiffCaller, std::size_t> order_;
  std::map<Sentence, std::size_t> sentences_;
  std::vector<const PolicyChange*> firsts_;  ///< The first change with each sentence.
  /// The sentence, by caller and target.
  std::map<std::size_t, std::map<DiffTarget, std::size_t>> told_;
};

}  // namespace

std::vector<PolicyChange> gather_changes(const Config& older, const Config& newer,
                                         const std::vector<DiffCaller>& callers,
                                         const std::vector<FoundChange>& found) {
  std::vector<PolicyChange> changes;
  for (const auto kind : {PolicyChange::Kind::gained, PolicyChange::Kind::lost}) {
    Gathering gathering(older, newer, callers);
    for (const FoundChange& one : found) {
      if (one.change.kind == kind) gathering.add(one);
    }
    std::ranges::move(std::move(gathering).run(), std::back_inserter(changes));
  }
  return changes;
}

}  // namespace bartizan
