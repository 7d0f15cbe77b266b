#include "policy/check/flow_set.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using enum ToolLabel;
using Labels = std::vector<ToolLabel>;
using Memory = FlowSet::Memory;

constexpr FlowSet::Caller kCaller{.principal = "ann"};

FlowSet flows(std::vector<FlowConfig> configs) {
  Config config;
  for (const FlowConfig& flow : configs)
    config.flows[flow.name] = flow;
  return FlowSet(config);
}

FlowConfig leak() {
  return {.name = "leak", .after = {untrusted, private_data}, .to = {public_sink}};
}

TEST(FlowSet, RefusesWhatMayNotFollow) {
  const FlowSet set = flows({leak(), {.name = "wipe", .after = {untrusted}, .to = {destructive}}});
  const struct {
    std::string_view name;
    std::vector<Labels> before;
    Labels call;
    std::string_view rule;
  } rows[] = {
      {"nothing was read", {}, {public_sink}, ""},
      {"private alone", {{private_data}}, {public_sink}, ""},
      {"untrusted alone", {{untrusted}}, {public_sink}, ""},
      {"both", {{untrusted}, {private_data}}, {public_sink}, "leak"},
      {"both the other way", {{private_data}, {untrusted}}, {public_sink}, "leak"},
      {"both from one tool", {{private_data, untrusted}}, {public_sink}, "leak"},
      {"both, and what is not a sink", {{private_data, untrusted}}, {private_data}, ""},
      {"both, and what has no label", {{private_data, untrusted}}, {}, ""},
      {"a sink that reads, too", {{untrusted}}, {private_data, public_sink}, ""},
      {"sinks mark nothing", {{public_sink, destructive}}, {public_sink}, ""},
      {"another flow", {{untrusted}}, {destructive}, "wipe"},
      {"two flows, the first by name",
       {{untrusted, private_data}},
       {public_sink, destructive},
       "leak"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    FlowMarks marks;
    for (const Labels& labels : row.before)
      marks.mark(labels, seconds(1));
    const Decision decision = set.judge(row.call, marks, Memory::session, hours(1000), kCaller);
    EXPECT_EQ(decision.rule_name(), row.rule);
    EXPECT_EQ(decision.denies(), !row.rule.empty());
    EXPECT_EQ(decision.reason, row.rule.empty() ? Reason::none : Reason::flow_refused);
  }
}

TEST(FlowSet, RemembersPrincipalsForAWindowAndSessionsForEver) {
  FlowConfig flow = leak();
  flow.window = minutes(10);
  const FlowSet set = flows({flow});
  FlowMarks marks;
  marks.mark({untrusted}, minutes(1));
  marks.mark({private_data}, minutes(5));
  const auto is_refused = [&](Memory memory, minutes now) {
    return set.judge({public_sink}, marks, memory, now, kCaller).denies();
  };
  EXPECT_TRUE(is_refused(Memory::window, minutes(10)));
  EXPECT_FALSE(is_refused(Memory::window, minutes(11)));  // What was untrusted is too long ago.
  EXPECT_TRUE(is_refused(Memory::session, minutes(11)));
  marks.mark({untrusted}, minutes(12));
  EXPECT_TRUE(is_refused(Memory::window, minutes(14)));
  marks.mark({untrusted}, minutes(2));  // A later mark is not undone by an earlier one.
  EXPECT_TRUE(is_refused(Memory::window, minutes(14)));
}

TEST(FlowSet, ForbidBeatsAnApproval) {
  FlowConfig ask = leak();
  ask.name = "ask";
  ask.effect = Effect::require_approval;
  FlowMarks marks;
  marks.mark({untrusted, private_data}, seconds(1));
  const FlowSet only = flows({ask});
  const Decision asks = only.judge({public_sink}, marks, Memory::session, seconds(2), kCaller);
  EXPECT_EQ(asks.reason, Reason::needs_approval);
  EXPECT_EQ(asks.rule_name(), "ask");
  const FlowSet both = flows({ask, leak()});
  const Decision refuses = both.judge({public_sink}, marks, Memory::session, seconds(2), kCaller);
  EXPECT_EQ(refuses.reason, Reason::flow_refused);
  EXPECT_EQ(refuses.rule_name(), "leak");
}

TEST(FlowMarks, KnowTheHighestClassSinceATime) {
  FlowMarks marks;
  EXPECT_TRUE(marks.highest({}).empty());
  marks.mark(CallClass{.risk = Risk::critical}, seconds(5));
  marks.mark(CallClass{.risk = Risk::low, .reversibility = Reversibility::recoverable}, seconds(9));
  const CallClass all{.risk = Risk::critical, .reversibility = Reversibility::recoverable};
  EXPECT_EQ(marks.highest({}), all);
  EXPECT_EQ(marks.highest(seconds(5)), all);
  const CallClass later{.risk = Risk::low, .reversibility = Reversibility::recoverable};
  EXPECT_EQ(marks.highest(seconds(6)), later);
  EXPECT_TRUE(marks.highest(seconds(10)).empty());
  EXPECT_EQ(marks.latest(), seconds(9));
}

TEST(FlowSet, MarksOnlyWhatAFlowLooksAt) {
  const FlowSet set = flows({{.name = "wipe", .after = {untrusted}, .to = {destructive}}});
  EXPECT_TRUE(set.looks_for({untrusted, public_sink}));
  EXPECT_FALSE(set.looks_for({private_data}));
  EXPECT_FALSE(set.looks_for({destructive}));
  EXPECT_FALSE(set.looks_for({}));
  EXPECT_FALSE(flows({}).looks_for({untrusted}));
}

TEST(FlowTable, IsBoundedAndForgetsNobodyWhoMatters) {
  FlowTable table(2);
  const auto mark = [&](std::string_view principal, seconds now) {
    return table.mark(principal, {untrusted}, {}, seconds(10), now);
  };
  EXPECT_TRUE(mark("ann", seconds(0)));
  EXPECT_TRUE(mark("bob", seconds(5)));
  EXPECT_FALSE(mark("cid", seconds(9)));
  EXPECT_TRUE(mark("ann", seconds(9)));
  EXPECT_TRUE(table.find("ann").marked(untrusted));
  EXPECT_FALSE(table.find("cid").marked(untrusted));
  EXPECT_TRUE(mark("cid", seconds(15)));
  EXPECT_FALSE(table.find("bob").marked(untrusted));
  EXPECT_TRUE(table.find("ann").marked(untrusted));
  EXPECT_EQ(table.size(), 2U);
}

}  // namespace
}  // namespace bartizan
