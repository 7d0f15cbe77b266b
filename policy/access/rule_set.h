#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "policy/access/approval_check.h"
#include "policy/predicate/conditions.h"
#include "policy/text/match.h"
#include "policy/verdict/decision.h"
#include "schemas/message/method.h"

namespace bartizan {

/// The kind of target, as calls have it, for the selector of a rule.
TargetKind target_kind(RuleTarget target);

/// Whether a rule binds everyone.
bool names_everyone(const RuleConfig& rule);

/// All rules with their conditions beside names and subjects, numbered in the order of their names.
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
    ApprovalTerms approval;  ///< For a rule that requires an approval.

    bool is_conditional() const {
      return !when.empty() || !unless.empty() || expires != kNever || approval.names_anybody();
    }
    bool refuses() const { return effect != Effect::permit; }
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit RuleSet(const Config& config);

  const Rule& operator[](std::uint32_t number) const { return rules_[number]; }
  std::size_t size() const { return rules_.size(); }
  /// Whether a condition asks about the disk or DNS.
  bool asks_outside() const;
  /// Whether a condition asks for the class of a tool, or of a chain.
  bool asks_class() const { return asks_class_; }
  /// The facts about a server, and about a tool of it. Defaults if it is not configured.
  ServerFacts facts_of(std::string_view server, std::string_view tool) const;
  /// Whether the conditions of a rule hold. For a list, the question is whether some call could
  /// pass: a permit counts if it may match, a refusing rule if it must.
  bool matches(std::uint32_t number, const EvalContext& of, const ServerFacts& server) const;

 private:
  bool is_approved(const Rule& rule, const EvalContext& of) const;

  struct Server {
    std::string cwd;
    Trust trust = Trust::untrusted;
  };
  std::vector<Rule> rules_;
  std::map<std::string, Server, std::less<>> servers_;
  /// Profiles that give tools a class, each with its pattern.
  std::vector<std::pair<Glob, CallClass>> classes_;
  bool asks_class_ = false;
  PinnedTools pins_;
  Persons persons_;
};

}  // namespace bartizan
