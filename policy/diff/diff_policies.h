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

/// What callers may do under one of two policies and not under the other.
struct PolicyChange {
  enum class Kind : std::uint8_t { gained, lost } kind = Kind::gained;
  /// Each of these roles and principals, of …
  std::vector<DiffCaller> callers = {};
  /// … each of these: `files/read_file`, `prompt mail/greet`, `resource …`, a method.
  std::vector<std::string> what = {};
  /// Whether nothing of it was permitted before (or is, of what was lost), as far as was tried.
  bool is_whole = false;
  std::string pointer = {};       ///< The one argument, or fact, whose value makes the difference.
  DescribedCall witness = {};     ///< By the first of the callers, of the first of what is called.
  Reason reason = Reason::none;   ///< Why the other policy refuses it …
  std::string check = {};         ///< … by which check,
  std::string rule = {};          ///< … and by which rule, if one did.
  std::string permitted_by = {};  ///< The rule of the policy that permits it.
  /// What changed, as `file:line:column`: a rule, what a profile asks, a place or a form, a role.
  /// Empty where no one entry can be named.
  std::string where = {};
  DiffSide where_in =
      DiffSide::newer;  ///< In which text that stands: in the older, of what is gone.
};

/// What changed, and whether all was tried that there was to try.
struct PolicyDiff {
  /// What was gained first; then by the first caller and target.
  std::vector<PolicyChange> changes = {};
  /// What binds calls beside what decides about one, by name.
  std::vector<SettingChange> settings = {};
  /// Targets of which not every combination of values was tried.
  std::vector<std::string> unfinished = {};
};

/// How far a comparison has come.
struct DiffProgress {
  std::size_t calls = 0;           ///< That were judged by both.
  std::size_t groups = 0, of = 0;  ///< Groups of callers and targets, and how many there are.
};

/// What a comparison is bounded by, and who is told while it goes on.
struct DiffEffort {
  /// Calls, after which what is left of targets is unfinished.
  std::size_t tries_max = SIZE_MAX;
  /// Asked before every call, and between steps of what is made ready: true ends the comparison,
  /// and whatever is left is unfinished. Empty for one that nobody ends.
  std::function<bool()> is_over = {};
  /// Called every some hundred calls, and at the end; empty for nobody.
  std::function<void(const DiffProgress&)> progress = {};
};

/// Asks both policies about the same calls: of every role and principal, for every tool, prompt,
/// resource and method that either names, with arguments and facts at the edges of what either asks
/// for. Of callers and of targets that both policies answer alike, one is asked about. Each change
/// has one call that shows it, and nothing in that call can be left out. No difference is no proof
/// that there is none: what lies between edges is not tried, nor are calls that differ from a
/// permitted one in more than two values. Callers and targets of which everything is the same in
/// both are not asked about.
///
/// Input: two configurations that load; `now` in seconds since 1970.
/// Cost:  at most some thousand judgements for each group of callers and targets.
PolicyDiff diff_policies(const Config& older, const Config& newer, std::int64_t now,
                         const DiffEffort& effort = {});

}  // namespace bartizan
