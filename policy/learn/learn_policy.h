#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/learn/capture.h"

namespace bartizan {

/// An argument of a tool, as it was seen.
struct LearnedArgument {
  ArgumentPredicate argument;
  std::size_t values = 0;    ///< How many were seen …
  std::size_t distinct = 0;  ///< … and how many of them are different. 0 where it was not learned.
  std::string note = {};     ///< What its reader should know, without any value.
};

/// A tool that was called.
struct LearnedTool {
  /// Its pattern is the tool's own name, and it has what a profile of the same name said before,
  /// but for `arguments`.
  ToolProfile profile;
  std::vector<LearnedArgument> arguments = {};  ///< Those of that profile, and the learned ones.
  bool takes_nothing = false;                   ///< Nobody gave it any argument.
  std::size_t calls = 0;
  std::size_t principals = 0;
};

/// Who may do what. `rule` is a permit; it has one pattern for each of `calls`, and the conditions
/// of the permit in whose place it stands. Of a tool that others gave something else, it asks what
/// these callers gave it.
struct LearnedRule {
  RuleConfig rule;
  std::vector<LearnedArgument> arguments = {};  ///< What it asks beside that permit's conditions.
  std::string permit = {};  ///< That permit's name; empty where it had no conditions.
  std::vector<std::size_t> calls = {};
  std::size_t principals = 0;
};

/// The least that permits what was seen: in the place of every permit of a configuration, beside
/// all else that it has.
struct LearnedPolicy {
  std::vector<LearnedRule> rules = {};
  std::vector<LearnedTool> tools = {};
  std::vector<PathConfig> paths = {};
  std::size_t calls = 0;    ///< That were permitted.
  std::size_t refused = 0;  ///< From which nothing is learned.
  /// What was seen and cannot be said in a policy, each as a sentence.
  std::vector<std::string> unlearned = {};
  /// Profiles of `config` whose place is taken, by their patterns.
  std::vector<std::string> replaced = {};
};

/// Learns from the permitted calls of a capture: a rule for each role, with the very tools that
/// its principals called; for each tool what its arguments were, and in the rule of a role what
/// its own were, where other roles sent other ones. What a permit asked beside that
/// (`when`, `unless`, `expires`) is asked of what it permitted; what a profile of the tool's own
/// name asks of an argument stays.
///
/// A caller with several roles is counted under that of them which the rule that permitted it
/// names, or else under the one that the fewest principals have.
/// Input: the configuration under which the capture was made, or one with the same roles.
LearnedPolicy learn_policy(const Config& config, const Capture& capture);

}  // namespace bartizan
