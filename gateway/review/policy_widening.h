#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/config_sources.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {

/// The comparison of a configuration with an earlier one: calls that only the new one permits.
struct PolicyWidening {
  std::vector<ConfigProblem> problems = {};  ///< Warnings, each with an example call.
  /// The earlier configuration: `what was loaded at TIME from FILE`, and its file. Empty if there
  /// was no comparison.
  std::string compared_with = {};
  std::string why_not = {};  ///< Why there was no comparison. Exactly one of the two is set.
};

/// Compares a configuration with the one that the gateway with its record loaded last. Reports a
/// comparison that the effort did not complete.
PolicyWidening find_widening(const Config& config, const DiffEffort& effort = {});

/// The calls that a newly loaded configuration permits and the previous one refuses. The lines are
/// few and short enough for a log. Reports an incomplete comparison.
///
/// Input: `before`, the texts of the previous configuration; `is_over`, called often: true ends the
///        comparison.
/// Cost:  reads the texts, compiles two policies, and then uses at most three seconds of the
///        thread's processor time. Pure computation.
std::vector<ConfigProblem> review_widening(const ConfigSources& before, const Config& config,
                                           const std::function<bool()>& is_over = {});

}  // namespace bartizan
