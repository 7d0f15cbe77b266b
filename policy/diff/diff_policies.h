#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_settings.h"
#include "policy/verdict/reason.h"

namespace bartizan {

/// A difference between what callers may do under two policies.
struct PolicyChange {
  enum class Kind : std::uint8_t { gained, lost } kind = Kind::gained;
  /// Roles and principals. The change is about each of them with each target in `what`.
  std::vector<DiffCaller> callers = {};
  /// Targets: `files/read_file`, `prompt mail/greet`, `resource …`, or a method.
  std::vector<std::string> what = {};
  /// Whether the other policy permits no call of these callers and targets, as far as was tried.
  /// The other policy is the older one of a gain, the newer one of a loss.
  bool is_whole = false;
  std::string pointer = {};       ///< The one argument, or fact, whose value makes the difference.
  DescribedCall witness = {};     ///< By the first of the callers, of the first target.
  Reason reason = Reason::none;   ///< Why the other policy refuses the witness.
  std::string check = {};         ///< The check that refuses it.
  std::string rule = {};          ///< The rule that refuses it, if any.
  std::string permitted_by = {};  ///< The rule of the policy that permits it.
  /// The entry that changed, as `file:line:column`: a rule, a predicate of a profile, a place, a
  /// form, or a role. Empty if no single entry can be named.
  std::string where = {};
  DiffSide where_in =
      DiffSide::newer;  ///< The text that `where` is in: the older one for an entry that is gone.
};

/// The changes between two policies, and the targets whose comparison is incomplete.
struct PolicyDiff {
  /// Gains first; then by the first caller and target.
  std::vector<PolicyChange> changes = {};
  /// Changes of settings beside those that decide about one call, by name.
  std::vector<SettingChange> settings = {};
  /// Targets of which not every combination of values was tried.
  std::vector<std::string> unfinished = {};
};

/// The progress of a comparison.
struct DiffProgress {
  std::size_t calls = 0;           ///< Calls that both policies judged.
  std::size_t groups = 0, of = 0;  ///< Groups of callers and targets done, and their total.
};

/// The bounds of a comparison, and its callbacks.
struct DiffEffort {
  /// The most calls. Targets that are left then are unfinished.
  std::size_t tries_max = SIZE_MAX;
  /// Called before every call, and between steps of preparation. True ends the comparison, and the
  /// rest is unfinished. Empty for a comparison without an early end.
  std::function<bool()> is_over = {};
  /// Called every few hundred calls, and at the end. May be empty.
  std::function<void(const DiffProgress&)> progress = {};
};

/// Judges the same calls under both policies: of every role and principal, for every tool, prompt,
/// resource and method that either names. Arguments and facts are at the edges of what either
/// policy asks. One caller and one target stand for all that both policies answer alike. Each
/// change has one call that shows it, and no value of that call can be left out.
///
/// An empty result is no proof of equality. Values between edges are not tried, nor are calls that
/// differ from a permitted one in more than two values. Pairs of a caller and a target are skipped
/// if everything about them is the same in both.
///
/// Input: two configurations that load; `now` in seconds since 1970.
/// Cost:  at most some thousand judgements for each group of callers and targets.
PolicyDiff diff_policies(const Config& older, const Config& newer, std::int64_t now,
                         const DiffEffort& effort = {});

}  // namespace bartizan
