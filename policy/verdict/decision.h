#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/risk.h"
#include "policy/verdict/outside_refusal.h"
#include "policy/verdict/reason.h"
#include "schemas/schema/schema_violation.h"

namespace bartizan {

/// What answers and records say of the rule that decided. Owned by the policy.
struct RuleInfo {
  std::string name;
  std::string remediation;
  bool hide = false;
  bool answer_as_result = false;
  std::optional<Risk> risk = {};  ///< Of what it refuses.
};

/// What one check says of one call. Silence never grants: a call to which nobody objects still
/// needs a check that permits it.
struct [[nodiscard]] Decision {
  enum class Kind : std::uint8_t { deny, pass, permit } kind = Kind::deny;
  Reason reason = Reason::internal;
  const RuleInfo* rule = nullptr;  ///< The rule that gave the decision, if one did.
  std::string pointer = {};        ///< JSON pointer into the arguments that it is about, or empty.
  std::vector<SchemaViolation> violations = {};  ///< Where values do not fit a schema.
  std::string permission = {};                   ///< That the principal lacks.
  /// What the world outside says against the value.
  OutsideRefusal outside = OutsideRefusal::none;
  /// A rule wants the refusal to look as if there were no such thing …
  bool is_hidden = false;
  /// … and so this is what this caller is told of a name that nobody has: that it is unknown, or
  /// what stops the caller before anybody looks whether it is there.
  Reason hidden_as = Reason::tool_unknown;

  static Decision pass() { return {Kind::pass, Reason::none}; }
  static Decision permit(const RuleInfo* rule) { return {Kind::permit, Reason::none, rule}; }
  static Decision deny(Reason reason, const RuleInfo* rule = nullptr, std::string pointer = {}) {
    return {Kind::deny, reason, rule, std::move(pointer)};
  }
  bool denies() const { return kind == Kind::deny; }
  bool permits() const { return kind == Kind::permit; }
  std::string_view rule_name() const {
    return rule == nullptr ? std::string_view() : std::string_view(rule->name);
  }
};

}  // namespace bartizan
