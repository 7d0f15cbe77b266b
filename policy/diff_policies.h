#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/diff_settings.h"
#include "policy/reason.h"

namespace bartizan {

/// What one caller may do under one of two policies and not under the other.
struct PolicyChange {
  enum class Kind : std::uint8_t { gained, lost } kind = Kind::gained;
  std::string role = {};       ///< Whose, or …
  std::string principal = {};  ///< … who; exactly one of both is set.
  std::string what = {};       ///< `files/read_file`, `prompt mail/greet`, `resource …`, a method.
  /// Whether nothing of it was permitted before (or is, of what was lost), as far as was tried.
  bool is_whole = false;
  std::string pointer = {};  ///< The one argument, or fact, whose value makes the difference.
  DescribedCall witness = {};
  Reason reason = Reason::none;   ///< Why the other policy refuses it …
  std::string check = {};         ///< … by which check,
  std::string rule = {};          ///< … and by which rule, if one did.
  std::string permitted_by = {};  ///< The rule of the policy that permits it.
};

/// What changed, and whether all was tried that there was to try.
struct PolicyDiff {
  std::vector<PolicyChange> changes = {};  ///< By caller and target; what was gained first.
  /// What binds calls beside what decides about one, by name.
  std::vector<SettingChange> settings = {};
  /// Targets of which not every combination of values was tried.
  std::vector<std::string> unfinished = {};
};

/// Asks both policies about the same calls: of every role and principal, for every tool, prompt,
/// resource and method that either names, with arguments and facts at the edges of what either asks
/// for. Each change has one call that shows it, and the smallest that was found. No difference
/// is no proof that there is none: what lies between edges is not tried, nor are calls that differ
/// from a permitted one in more than two values. Callers and targets of which everything is the
/// same in both are not asked about.
///
/// Input: two configurations that load; `now` in seconds since 1970. After `tries_max` calls, what
///        is left of targets is unfinished.
/// Cost:  at most some thousand judgements for each caller and target.
PolicyDiff diff_policies(const Config& older, const Config& newer, std::int64_t now,
                         std::size_t tries_max = SIZE_MAX);

}  // namespace bartizan
