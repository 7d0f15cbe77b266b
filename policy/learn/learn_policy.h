#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/learn/capture.h"

namespace bartizan {

/// An argument of a tool, as seen in calls.
struct LearnedArgument {
  ArgumentPredicate argument;
  std::size_t values = 0;    ///< The number of values seen.
  std::size_t distinct = 0;  ///< The number of different values; 0 if not learned.
  std::string note = {};     ///< A note for the reader, without any value.
};

/// A tool that was called.
struct LearnedTool {
  /// Its pattern is the tool's own name. All but `arguments` is from the earlier profile of the
  /// same name.
  ToolProfile profile;
  std::vector<LearnedArgument> arguments =
      {};                      ///< Those of the earlier profile, and the learned ones.
  bool takes_nothing = false;  ///< No call had any argument.
  std::size_t calls = 0;
  std::size_t principals = 0;
};

/// A learned permit. It has one pattern for each of `calls`, and the conditions of the permit that
/// it replaces. If other callers gave a tool other arguments, the rule also requires the arguments
/// of these callers.
struct LearnedRule {
  RuleConfig rule;
  std::vector<LearnedArgument> arguments =
      {};                   ///< Required beside the conditions of the replaced permit.
  std::string permit = {};  ///< The name of the replaced permit; empty if it had no conditions.
  std::vector<std::size_t> calls = {};
  std::size_t principals = 0;
};

/// The smallest policy that permits the seen calls. It replaces every permit of a configuration and
/// keeps all else.
struct LearnedPolicy {
  std::vector<LearnedRule> rules = {};
  std::vector<LearnedTool> tools = {};
  std::vector<PathConfig> paths = {};
  std::size_t calls = 0;    ///< Permitted calls.
  std::size_t refused = 0;  ///< Refused calls. Nothing is learned from them.
  /// Observations that a policy cannot express, each as a sentence.
  std::vector<std::string> unlearned = {};
  /// Profiles of `config` that are replaced, by their patterns.
  std::vector<std::string> replaced = {};
};

/// Learns from the permitted calls of a capture. Each role gets a rule with the tools that its
/// principals called. Each tool gets predicates for its arguments. The rule of a role gets
/// predicates for arguments that other roles sent differently. The other conditions of a permit
/// (`when`, `unless`, `expires`) stay for the calls that it permitted. Predicates of a profile with
/// the tool's own name stay.
///
/// A caller with several roles counts under the one that the permitting rule names. Without such a
/// role, it counts under the one that the fewest principals have.
/// Input: the configuration under which the capture was made, or one with the same roles.
LearnedPolicy learn_policy(const Config& config, const Capture& capture);

}  // namespace bartizan
