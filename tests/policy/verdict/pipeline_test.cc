#include "policy/verdict/pipeline.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

// Misuse that must not compile.
static_assert(!std::is_copy_constructible_v<Permit>);
static_assert(!std::is_copy_assignable_v<Permit>);
static_assert(!std::is_default_constructible_v<Permit>);
static_assert(!std::is_constructible_v<Permit, Bytes>);
static_assert(!std::is_constructible_v<Permit, Bytes, const RuleInfo*,
                                       std::shared_ptr<const Policy>, std::vector<Decision>>);
static_assert(!std::is_aggregate_v<Permit>);
static_assert(std::is_nothrow_move_constructible_v<Permit>);
// Silence is a refusal wherever somebody forgets to decide.
static_assert(Decision::Kind() == Decision::Kind::deny);

using enum Check::Kind;

const RuleInfo kRule{.name = "rule", .remediation = {}};
const RuleInfo kOther{.name = "other", .remediation = {}};

Decision permit(const Call&) {
  return Decision::permit(&kRule);
}
Decision permit_other(const Call&) {
  return Decision::permit(&kOther);
}
Decision pass(const Call&) {
  return Decision::pass();
}
Decision deny(const Call&) {
  return Decision::deny(Reason::forbidden, &kRule);
}

constexpr auto kEnforce = Pipeline::Mode::enforce;
constexpr auto kObserve = Pipeline::Mode::observe;

Verdict judge(std::vector<Check> checks, Pipeline::Mode mode = kEnforce) {
  const auto sample = sample_tool_call("files", "write");
  return Pipeline(std::move(checks)).judge(sample->call, nullptr, mode);
}

void expect_denial(const Verdict& verdict, std::string_view check, Reason reason) {
  ASSERT_TRUE(std::holds_alternative<Denial>(verdict));
  EXPECT_EQ(std::get<Denial>(verdict).check, check);
  EXPECT_EQ(std::get<Denial>(verdict).decision.reason, reason);
}

TEST(Pipeline, EmptyDenies) {
  expect_denial(judge({}), "pipeline", Reason::no_matching_rule);
}

TEST(Pipeline, NoObjectionIsNotAPermit) {
  expect_denial(judge({{"one", always_enforced, pass}, {"two", yields_to_observe, pass}}),
                "pipeline", Reason::no_matching_rule);
  expect_denial(judge({{"one", yields_to_observe, pass}}, kObserve), "pipeline",
                Reason::no_matching_rule);
}

TEST(Pipeline, StopsAtTheFirstDenial) {
  int reached = 0;
  const auto count = [&](const Call&) {
    ++reached;
    return Decision::pass();
  };
  expect_denial(judge({{"one", always_enforced, permit},
                       {"two", always_enforced, deny},
                       {"three", always_enforced, count}}),
                "two", Reason::forbidden);
  EXPECT_EQ(reached, 0);
}

TEST(Pipeline, APermitBeforeOrAfterADenialIsNone) {
  expect_denial(judge({{"one", always_enforced, permit}, {"two", always_enforced, deny}}), "two",
                Reason::forbidden);
  expect_denial(judge({{"one", always_enforced, deny}, {"two", always_enforced, permit}}), "one",
                Reason::forbidden);
}

TEST(Pipeline, ThePermitHoldsTheBytesAndNamesTheFirstRule) {
  const auto sample = sample_tool_call("files", "write");
  const std::string text(sample->call.bytes.view());
  const char* place = sample->call.bytes.view().data();
  const Pipeline pipeline({{"one", always_enforced, pass},
                           {"two", always_enforced, permit},
                           {"three", always_enforced, permit_other}});
  Verdict verdict = pipeline.judge(sample->call, nullptr, kEnforce);
  ASSERT_TRUE(std::holds_alternative<Permit>(verdict));
  const Permit& taken = std::get<Permit>(verdict);
  EXPECT_EQ(taken.bytes(), text);
  EXPECT_EQ(taken.bytes().data(), place);
  EXPECT_EQ(taken.wire(), text);
  EXPECT_EQ(taken.rule(), &kRule);
  EXPECT_FALSE(taken.own_kind());
  EXPECT_TRUE(taken.observed().empty());
  EXPECT_EQ(sample->call.bytes.view().data(), place) << "it can be judged again";
}

TEST(Pipeline, WithoutBytesThereIsNothingToPermit) {
  const auto sample = sample_tool_call("files", "write");
  sample->call.bytes = {};
  const Pipeline pipeline({{"one", always_enforced, permit}});
  expect_denial(pipeline.judge(sample->call, nullptr, kEnforce), "pipeline",
                Reason::no_matching_rule);
}

TEST(Pipeline, AMovedFromPermitIsEmpty) {
  Verdict verdict = judge({{"one", always_enforced, permit}});
  Permit one = std::move(std::get<Permit>(verdict));
  one.splice(SpliceKind::request_id, {1, 2}, "7");
  Permit two = std::move(one);
  EXPECT_FALSE(two.empty());
  EXPECT_EQ(two.splices().size(), 1U);
  EXPECT_TRUE(one.empty());  // NOLINT(bugprone-use-after-move): this is what is tested.
  EXPECT_TRUE(one.splices().empty());
  EXPECT_EQ(one.rule(), nullptr);
  EXPECT_EQ(one.wire(), "");
}

TEST(Permit, SplicesReachTheWireInAnyOrder) {
  Permit own = Permit::own(GatewayMessage::tools_list, R"({"id":1,"name":"a"})");
  own.splice(SpliceKind::tool_name, {15, 18}, R"("bc")");
  own.splice(SpliceKind::request_id, {6, 7}, "23");
  EXPECT_EQ(own.wire(), R"({"id":23,"name":"bc"})");
  EXPECT_EQ(own.bytes(), R"({"id":1,"name":"a"})");
  EXPECT_EQ(own.own_kind(), GatewayMessage::tools_list);
}

TEST(Pipeline, ObservingRelaxesOnlyWhatYields) {
  const std::vector<Check> yielding{{"one", yields_to_observe, deny}};
  expect_denial(judge(yielding), "one", Reason::forbidden);
  const Verdict relaxed = judge(yielding, kObserve);
  ASSERT_TRUE(std::holds_alternative<Permit>(relaxed));
  EXPECT_EQ(std::get<Permit>(relaxed).rule(), nullptr);
  ASSERT_EQ(std::get<Permit>(relaxed).observed().size(), 1U);
  EXPECT_EQ(std::get<Permit>(relaxed).observed()[0].reason, Reason::forbidden);
  expect_denial(judge({{"one", yields_to_observe, deny}, {"two", always_enforced, deny}}, kObserve),
                "two", Reason::forbidden);
  expect_denial(judge({{"one", always_enforced, deny}}, kObserve), "one", Reason::forbidden);
}

TEST(Pipeline, ObservingKeepsTheRuleThatPermits) {
  const Verdict verdict =
      judge({{"one", yields_to_observe, permit}, {"two", yields_to_observe, deny}}, kObserve);
  ASSERT_TRUE(std::holds_alternative<Permit>(verdict));
  EXPECT_EQ(std::get<Permit>(verdict).rule(), &kRule);
  EXPECT_EQ(std::get<Permit>(verdict).observed().size(), 1U);
}

TEST(Pipeline, ObservedRulesAreReportedAndRefuseNothing) {
  const auto would = [](const Call&) {
    return std::vector{Decision::deny(Reason::needs_approval, &kOther)};
  };
  const Verdict permitted = judge({{"one", always_enforced, permit, would}});
  ASSERT_TRUE(std::holds_alternative<Permit>(permitted));
  ASSERT_EQ(std::get<Permit>(permitted).observed().size(), 1U);
  EXPECT_EQ(std::get<Permit>(permitted).observed()[0].rule, &kOther);
  const Verdict denied = judge({{"one", always_enforced, deny, would}});
  expect_denial(denied, "one", Reason::forbidden);
  EXPECT_EQ(std::get<Denial>(denied).observed.size(), 1U);
  // What would have been refused grants nothing either.
  expect_denial(judge({{"one", always_enforced, pass, would}}), "pipeline",
                Reason::no_matching_rule);
}

}  // namespace
}  // namespace bartizan
