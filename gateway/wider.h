#pragma once

#include <string>
#include <vector>

#include "config/load_config.h"
#include "policy/diff_policies.h"

namespace bartizan {

/// What a configuration was held against, and what it would let through that the other refuses.
struct Widening {
  std::vector<ConfigProblem> problems = {};  ///< Warnings, each with a call that shows it.
  /// What it was compared with: `what was loaded at TIME from FILE`, and where that is kept; empty
  /// where it was not.
  std::string compared_with = {};
  std::string why_not = {};  ///< Why it was not compared; exactly one of both is set.
};

/// Holds a configuration against the one that the gateway with its record loaded last. What the
/// effort does not come to is told as unfinished.
Widening find_widening(const Config& config, const DiffEffort& effort = {});

/// What `review_config` says of a configuration that is about to be loaded, and what of it is
/// wider than what was loaded before: as many lines as a person reads in a log.
/// Cost: a second or so beyond that of `review_config`, however large the policy.
std::vector<ConfigProblem> review_next_config(const Config& config);

}  // namespace bartizan
