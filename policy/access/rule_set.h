#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/predicate/conditions.h"
#include "policy/verdict/decision.h"
#include "schemas/message/method.h"

namespace bartizan {

/// What a rule's selector names, as calls have it.
TargetKind target_kind(RuleTarget target);

/// Whether a rule binds everyone.
bool names_everyone(const RuleConfig& rule);

/// All rules with what they ask beside names and subjects, numbered in the order of their names.
///
/// Threads: immutable once built.
class RuleSet {
 public:
  struct Rule {
    RuleInfo info;
    Effect effect = Effect::forbid;
    bool is_observed = false;
    Conditions when, unless;
    std::int64_t expires = kNever;
    std::vector<std::string> approvers;  ///< Roles, of a rule that requires an approval.
    bool allows_self_approval = false;
    std::chrono::seconds approval_lifetime{0};

    bool is_conditional() const {
      return !when.empty() || !unless.empty() || expires != kNever || !approvers.empty();
    }
    bool refuses() const { return effect != Effect::permit; }
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit RuleSet(const Config& config);

  const Rule& operator[](std::uint32_t number) const { return rules_[number]; }
  std::size_t size() const { return rules_.size(); }
  /// Whether a condition asks what only the world outside can tell.
  bool asks_outside() const;
  /// What is known of a server, and of a tool of it; of those that nobody has configured, nothing.
  ServerFacts facts_of(std::string_view server, std::string_view tool) const;
  /// Whether the conditions of a rule hold. Of a list the question is whether some call could get
  /// through: a permit counts where it may match, and a rule that refuses where it must.
  bool matches(std::uint32_t number, const EvalContext& of, const ServerFacts& server) const;

 private:
  struct Server {
    std::string cwd;
    Trust trust = Trust::untrusted;
  };
  std::vector<Rule> rules_;
  std::map<std::string, Server, std::less<>> servers_;
  PinnedTools pins_;
};

}  // namespace bartizan
