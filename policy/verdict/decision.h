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

/// The rule that decided, as responses and records name it. Owned by the policy.
struct RuleInfo {
  std::string name;
  std::string remediation;
  bool hide = false;
  bool answer_as_result = false;
  std::optional<Risk> risk = {};  ///< The risk of its refusals.
};

/// The result of one check for one call. `pass` never grants: a call without objections still needs
/// a check that permits it.
struct [[nodiscard]] Decision {
  enum class Kind : std::uint8_t { deny, pass, permit } kind = Kind::deny;
  Reason reason = Reason::internal;
  const RuleInfo* rule = nullptr;  ///< The rule that gave the decision, if one did.
  std::string pointer = {};        ///< JSON pointer into the arguments that it is about, or empty.
  std::vector<SchemaViolation> violations = {};  ///< Where values do not fit a schema.
  std::string permission = {};                   ///< The permission that the principal lacks.
  /// Why the disk or a name look-up refuses the value.
  OutsideRefusal outside = OutsideRefusal::none;
  /// A rule hides the target: the refusal looks as if it did not exist …
  bool is_hidden = false;
  /// … and has this reason, which the caller also gets for a name that does not exist. It is
  /// `tool_unknown`, or the reason of an earlier check.
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
