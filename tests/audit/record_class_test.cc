// What sort of event a record is, and how grave.
#include "audit/record_class.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/verdict/reason.h"

namespace bartizan {
namespace {

using enum RecordClass;

Record made(RecordKind kind, std::string_view decision = "", std::string_view reason = "",
            std::string_view category = "") {
  Record record;
  record.kind = kind;
  record.decision = decision;
  record.reason = reason;
  record.category = category;
  return record;
}

Record with(Record record, auto change) {
  change(record);
  return record;
}

TEST(RecordClassOf, EachKindAndReason) {
  using enum RecordKind;
  struct Case {
    std::string name;
    Record record;
    RecordClass of;
    Risk severity;
  };
  const std::vector<Case> cases = {
      {"permitted call", made(decision, "permit"), tool_invocation, Risk::low},
      {"its answer", with(made(outcome), [](Record& r) { r.outcome = Outcome::success; }),
       tool_invocation, Risk::low},
      {"a tool's own error",
       with(made(outcome), [](Record& r) { r.outcome = Outcome::tool_error; }), tool_invocation,
       Risk::low},
      {"a risky tool is not a violation",
       with(made(decision, "permit"), [](Record& r) { r.risk = "critical"; }), tool_invocation,
       Risk::low},
      {"slow call", with(made(outcome), [](Record& r) { r.warnings = {"slow_execution"}; }),
       performance_event, Risk::low},
      {"timeout", made(outcome, "", "server_timeout", "system"), performance_event, Risk::low},
      {"cut off by a stop", made(outcome, "", "gateway_stopped", "system"), performance_event,
       Risk::low},
      {"overload", made(refusal, "deny", "overloaded", "system"), performance_event, Risk::low},
      {"no JSON", made(refusal, "deny", "parse_error", "protocol"), protocol_error, Risk::low},
      {"a message in two readings", made(refusal, "deny", "ambiguous_member", "protocol"),
       security_event, Risk::medium},
      {"a stolen session id", made(refusal, "deny", "session_unknown", "protocol"), security_event,
       Risk::medium},
      {"no rule", made(decision, "deny", "no_matching_rule", "security"), security_event,
       Risk::medium},
      {"no rule for a risky tool",
       with(made(decision, "deny", "no_matching_rule", "security"),
            [](Record& r) { r.risk = "critical"; }),
       security_event, Risk::critical},
      {"outside of the root", made(decision, "deny", "path_outside_root", "validation"),
       security_event, Risk::high},
      {"a limit", made(decision, "deny", "limited", "system"), security_event, Risk::medium},
      {"observed refusal",
       with(made(decision, "permit"), [](Record& r) { r.would = {"path_outside_root:x"}; }),
       security_event, Risk::medium},
      {"a masked secret",
       with(made(outcome), [](Record& r) { r.redacted = {"github.token mask 1"}; }), security_event,
       Risk::medium},
      {"withheld result", made(outcome, "", "content_withheld", "security"), security_event,
       Risk::high},
      {"quarantined tool", made(decision, "deny", "tool_quarantined", "tool"), security_event,
       Risk::critical},
      {"a changed record", made(mismatch), security_event, Risk::critical},
      {"a gap", made(gap), security_event, Risk::critical},
      {"a torn record", made(repair), security_event, Risk::high},
      {"refusals, counted", made(summary, "deny", "unauthenticated", "security"), security_event,
       Risk::medium},
      {"an approval", with(made(approval), [](Record& r) { r.approval = "approved"; }),
       security_event, Risk::medium},
      {"start", made(start), life_cycle, Risk::low},
      {"reload", made(reload), life_cycle, Risk::medium},
      {"a closed file", made(file_end), life_cycle, Risk::low},
      {"a removed file", made(file_removed), life_cycle, Risk::medium},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(text(class_of(each.record)), text(each.of)) << each.name;
    EXPECT_EQ(severity_of(each.record), each.severity) << each.name;
  }
}

/// No reason of a refusal is unknown to the classes: a violation with a new name passes filters.
TEST(RecordClassOf, EveryReasonOfPolicyIsASecurityEvent) {
  for (std::size_t i = 1; i <= static_cast<std::size_t>(kLastReason); ++i) {
    const Reason reason = static_cast<Reason>(i);
    const ReasonCategory of = category(reason);
    if (of == ReasonCategory::system || of == ReasonCategory::protocol) continue;
    const Record record = made(RecordKind::decision, "deny", text(reason), text(of));
    EXPECT_EQ(class_of(record), security_event) << text(reason);
  }
}

TEST(AtlasTechnique, IsOfReasonsThatThereAre) {
  EXPECT_EQ(atlas_technique("tool_quarantined"), "AML.T0110");
  EXPECT_EQ(atlas_technique("parse_error"), "");
  EXPECT_EQ(atlas_technique(""), "");
}

}  // namespace
}  // namespace bartizan
