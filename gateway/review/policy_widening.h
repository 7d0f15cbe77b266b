#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/config_sources.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {

/// What a configuration was held against, and what it would let through that the other refuses.
struct PolicyWidening {
  std::vector<ConfigProblem> problems = {};  ///< Warnings, each with a call that shows it.
  /// What it was compared with: `what was loaded at TIME from FILE`, and where that is kept; empty
  /// where it was not.
  std::string compared_with = {};
  std::string why_not = {};  ///< Why it was not compared; exactly one of both is set.
};

/// Holds a configuration against the one that the gateway with its record loaded last. What the
/// effort does not come to is told as unfinished.
PolicyWidening find_widening(const Config& config, const DiffEffort& effort = {});

/// What a configuration that is loaded lets through that the one before it refuses, in as many
/// lines as a person reads in a log, each of no more names than that. Says of what it did not come
/// to that it did not.
///
/// Input: `before`, the texts of what was loaded before; `is_over`, asked often: true ends the
///        comparison.
/// Cost:  reading the texts, compiling two policies, and three seconds of the thread's processor
///        time at most beyond that. Computes alone.
std::vector<ConfigProblem> review_widening(const ConfigSources& before, const Config& config,
                                           const std::function<bool()>& is_over = {});

}  // namespace bartizan
