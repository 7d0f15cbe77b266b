#include "policy/limit/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

LimitConfig limit(std::string name, std::vector<LimitKey> per, std::vector<Rate> rates) {
  LimitConfig limit;
  limit.name = std::move(name);
  limit.per = std::move(per);
  limit.rates = std::move(rates);
  return limit;
}

Config with_limits(const std::vector<LimitConfig>& limits) {
  Config config = sample_config();
  for (const LimitConfig& one : limits)
    config.limits[one.name] = one;
  return config;
}

constexpr Rate kTwoPerSecond{.count = 2, .window = milliseconds(1000)};

/// One policy's limits and their buckets, for calls of one tool.
class Counter {
 public:
  explicit Counter(const std::vector<LimitConfig>& limits, std::size_t buckets_max = 1000)
      : set_(with_limits(limits), sample_names()),
        table_({.buckets = buckets_max, .of_one_caller = buckets_max}) {}

  std::optional<LimitTable::Refusal> take(nanoseconds now, std::string_view session = "") {
    return table_.take(set_, draws(session), weight, now);
  }
  void charge_bytes(std::uint64_t bytes, nanoseconds now) {
    table_.charge_bytes(set_, draws(""), bytes, now);
  }
  void give_back(std::string_view session = "") { table_.give_back(set_, draws(session)); }
  std::vector<LimitSet::Draw> draws(std::string_view session) const {
    LimitFacts facts;
    facts.session = session;
    return set_.draws(sample_->call, facts);
  }
  std::size_t size() const { return table_.size(); }

  CallWeight weight;

 private:
  LimitSet set_;
  LimitTable table_;
  std::unique_ptr<SampleCall> sample_ = sample_tool_call("files", "write");
};

TEST(KeyedHash, MatchesThePublishedVectors) {
  const HashSeed key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(keyed_hash(key, ""), (HashSeed{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  EXPECT_EQ(keyed_hash(key, std::string_view("\0", 1)),
            (HashSeed{0x44af996bd8c187da, 0x45fc229b11597634}));
  EXPECT_NE(keyed_hash(key, "12345678"), keyed_hash({}, "12345678"));
  EXPECT_NE(keyed_hash(key, "12345678"), keyed_hash(key, "123456789"));
}

TEST(LimitTable, TakesUntilEmptyAndSaysWhenToComeBack) {
  Counter counter({limit("a", {}, {kTwoPerSecond})});
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_FALSE(counter.take(seconds(0)));
  const auto refusal = counter.take(seconds(0));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->limit, 0U);
  EXPECT_EQ(refusal->retry_after, milliseconds(500));
  EXPECT_TRUE(counter.take(milliseconds(499)));
  EXPECT_FALSE(counter.take(milliseconds(500)));
  EXPECT_TRUE(counter.take(milliseconds(999)));
  EXPECT_FALSE(counter.take(milliseconds(1000)));
}

TEST(LimitTable, RetryIsRoundedUp) {
  Counter counter({limit("a", {}, {{.count = 3, .window = milliseconds(1000)}})});
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(counter.take(seconds(0)));
  const auto refusal = counter.take(seconds(0));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->retry_after, milliseconds(334));
  EXPECT_FALSE(counter.take(refusal->retry_after));
}

TEST(LimitTable, EveryWindowHasRoom) {
  const Rate minute{.count = 3, .window = milliseconds(60'000)};
  Counter counter({limit("a", {}, {kTwoPerSecond, minute})});
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_FALSE(counter.take(seconds(1)));
  EXPECT_FALSE(counter.take(seconds(2)));
  const auto refusal = counter.take(seconds(3));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->retry_after, seconds(17));
  EXPECT_FALSE(counter.take(seconds(20)));
}

TEST(LimitTable, MoreWindowsThanABucketHolds) {
  std::vector<Rate> rates(6, {.count = 100, .window = milliseconds(1000)});
  rates.back().count = 1;
  Counter counter({limit("a", {}, rates)});
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_TRUE(counter.take(seconds(0)));
}

TEST(LimitTable, MoreBucketsThanAreUsual) {
  // As many limits as a policy may have, each with as many windows: three buckets for each of them.
  std::vector<LimitConfig> limits;
  for (int i = 0; i < 64; ++i) {
    std::vector<Rate> rates(12, {.count = 2, .window = milliseconds(1000)});
    for (std::size_t window = 0; window < rates.size(); ++window)
      rates[window].window += milliseconds(window);
    limits.push_back(limit("limit-" + std::to_string(i), {}, rates));
  }
  Counter counter(limits);
  EXPECT_EQ(counter.draws("").size(), 192U);
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_TRUE(counter.take(seconds(0)));
  EXPECT_FALSE(counter.take(seconds(2)));
}

TEST(LimitTable, Burst) {
  LimitConfig burst = limit("a", {}, {{.count = 10, .window = milliseconds(1000)}});
  burst.burst = 1;
  Counter counter({burst});
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_EQ(counter.take(seconds(0))->retry_after, milliseconds(100));
  EXPECT_FALSE(counter.take(milliseconds(100)));
  burst.burst = 0;
  Counter never({burst});
  EXPECT_EQ(never.take(seconds(0))->retry_after, std::chrono::hours(24));
  Counter zero({limit("a", {}, {{.count = 0, .window = milliseconds(1000)}})});
  EXPECT_TRUE(zero.take(seconds(0)));
  EXPECT_TRUE(zero.take(seconds(100'000)));
}

TEST(LimitTable, AllOrNone) {
  Counter counter(
      {limit("a-wide", {}, {{.count = 3, .window = milliseconds(1'000'000)}}),
       limit("b-narrow", {LimitKey::session}, {{.count = 1, .window = milliseconds(1'000'000)}})});
  EXPECT_FALSE(counter.take(seconds(0), "one"));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(counter.take(seconds(0), "one")->limit, 1U);
  // The refused calls took nothing from the wide limit.
  EXPECT_FALSE(counter.take(seconds(0), "two"));
  EXPECT_FALSE(counter.take(seconds(0), "three"));
  EXPECT_EQ(counter.take(seconds(0), "four")->limit, 0U);
}

TEST(LimitTable, SlotsComeBack) {
  LimitConfig slots = limit("a", {LimitKey::session}, {});
  slots.concurrency = 2;
  Counter counter({slots});
  EXPECT_FALSE(counter.take(seconds(0), "one"));
  EXPECT_FALSE(counter.take(seconds(0), "one"));
  EXPECT_TRUE(counter.take(seconds(100), "one"));
  EXPECT_FALSE(counter.take(seconds(100), "two"));
  counter.give_back("one");
  EXPECT_FALSE(counter.take(seconds(100), "one"));
  EXPECT_TRUE(counter.take(seconds(100), "one"));
  // Giving back more than was taken earns nothing.
  for (int i = 0; i < 10; ++i)
    counter.give_back("one");
  EXPECT_FALSE(counter.take(seconds(100), "one"));
  EXPECT_FALSE(counter.take(seconds(100), "one"));
  EXPECT_TRUE(counter.take(seconds(100), "one"));
}

TEST(LimitTable, IsBoundedAndForgetsOnlyWhatIsFullAgain) {
  Counter counter({limit("a", {LimitKey::session}, {{.count = 1, .window = milliseconds(1000)}})},
                  4);
  for (const char* session : {"1", "2", "3", "4"})
    EXPECT_FALSE(counter.take(seconds(0), session));
  EXPECT_TRUE(counter.take(milliseconds(999), "5"));
  EXPECT_EQ(counter.size(), 4U);
  EXPECT_FALSE(counter.take(milliseconds(1000), "5"));
  EXPECT_TRUE(counter.take(milliseconds(1000), "5"));
  EXPECT_EQ(counter.size(), 4U);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(counter.take(seconds(2 + i), std::to_string(i)));
  }
  EXPECT_EQ(counter.size(), 4U);
}

TEST(LimitTable, SlotsInUseAreNotForgotten) {
  LimitConfig slots = limit("a", {LimitKey::session}, {});
  slots.concurrency = 1;
  Counter counter({slots}, 2);
  EXPECT_FALSE(counter.take(seconds(0), "1"));
  EXPECT_FALSE(counter.take(seconds(0), "2"));
  EXPECT_TRUE(counter.take(seconds(1000), "3"));
  counter.give_back("1");
  EXPECT_FALSE(counter.take(seconds(1000), "3"));
  EXPECT_TRUE(counter.take(seconds(1000), "2"));
}

// A call with more buckets than the table holds may not forget its own to find room.
TEST(LimitTable, ACallDoesNotForgetItsOwnBuckets) {
  Counter counter({limit("a", {LimitKey::session}, {kTwoPerSecond}),
                   limit("b", {LimitKey::session}, {kTwoPerSecond})},
                  1);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(counter.take(seconds(i), "1")->limit, 1U);
}

TEST(LimitTable, TimeThatStandsStillOrGoesBackGivesNothing) {
  Counter counter({limit("a", {}, {kTwoPerSecond})});
  EXPECT_FALSE(counter.take(seconds(10)));
  EXPECT_FALSE(counter.take(seconds(9)));
  EXPECT_TRUE(counter.take(seconds(1)));
  EXPECT_TRUE(counter.take(seconds(10)));
}

TEST(LimitTable, LongRatesDoNotDrift) {
  Counter counter({limit("a", {}, {{.count = 7, .window = milliseconds(1000)}})});
  std::int64_t taken = 0;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    taken += counter.take(milliseconds(10) * i) ? 0 : 1;
  }
  EXPECT_EQ(taken, 7 + (99'999 * 10 * 7) / 1000);
}

TEST(LimitTable, HugeLimitsDoNotOverflow) {
  LimitConfig huge = limit("a", {},
                           {{.count = ~std::uint64_t{0}, .window = milliseconds(1)},
                            {.count = 1'000'000'000, .window = milliseconds(86'400'000)}});
  huge.burst = ~std::uint64_t{0};
  Counter counter({huge});
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_FALSE(counter.take(std::chrono::hours(24 * 365 * 100)));
}

class Draws : public testing::Test {
 protected:
  std::size_t count(const LimitConfig& one, const Call& call) const {
    return LimitSet(with_limits({one}), sample_names()).draws(call, {}).size();
  }
  const std::unique_ptr<SampleCall> write_ = sample_tool_call("files", "write");
  const std::unique_ptr<SampleCall> unlisted_ = sample_tool_call("files", "write_new");
  const std::unique_ptr<SampleCall> list_ = sample_request("tools/list");
};

TEST_F(Draws, CountWhatTheLimitNames) {
  LimitConfig everything = limit("a", {}, {kTwoPerSecond});
  EXPECT_EQ(count(everything, write_->call), 1U);
  EXPECT_EQ(count(everything, unlisted_->call), 1U);
  EXPECT_EQ(count(everything, list_->call), 1U);
  LimitConfig tools = everything;
  tools.tools = {"files/write*"};
  EXPECT_EQ(count(tools, write_->call), 1U);
  EXPECT_EQ(count(tools, unlisted_->call), 1U);
  EXPECT_EQ(count(tools, sample_tool_call("files", "read_text")->call), 0U);
  EXPECT_EQ(count(tools, list_->call), 0U);
  LimitConfig except = everything;
  except.except_tools = {"*/write*"};
  EXPECT_EQ(count(except, write_->call), 0U);
  EXPECT_EQ(count(except, unlisted_->call), 0U);
  EXPECT_EQ(count(except, sample_tool_call("files", "read_text")->call), 1U);
  EXPECT_EQ(count(except, list_->call), 1U);
  EXPECT_EQ(count(limit("a", {LimitKey::tool}, {kTwoPerSecond}), list_->call), 0U);
  EXPECT_EQ(count(limit("a", {LimitKey::tool}, {kTwoPerSecond}), write_->call), 1U);
}

TEST_F(Draws, CountRequestsOfClientsOnly) {
  const LimitConfig everything = limit("a", {}, {kTwoPerSecond});
  EXPECT_EQ(count(everything, sample_notification("notifications/initialized")->call), 0U);
  EXPECT_EQ(count(everything, sample_request("roots/list", Direction::server_to_client)->call), 0U);
}

TEST_F(Draws, KeysTellApartWhatTheLimitSays) {
  const Config config = sample_config();
  const auto principals = make_principals(config);
  const auto key = [&](std::vector<LimitKey> per, std::string_view server, std::string_view tool,
                       const std::string& principal, const LimitFacts& facts,
                       const HashSeed& seed = {}) {
    const LimitSet set(with_limits({limit("a", std::move(per), {kTwoPerSecond})}), {}, seed);
    const auto sample = sample_tool_call(server, tool);
    sample->call.principal = &principals.at(principal);
    return set.draws(sample->call, facts).at(0).key;
  };
  using enum LimitKey;
  const LimitFacts one{.session = "s1", .address = "a1"};
  const LimitFacts two{.session = "s2", .address = "a2"};
  EXPECT_EQ(key({}, "files", "write", "ann", one), key({}, "mail", "send", "bob", two));
  EXPECT_NE(key({principal}, "files", "write", "ann", one),
            key({principal}, "files", "write", "bob", one));
  EXPECT_EQ(key({principal}, "files", "write", "ann", one),
            key({principal}, "mail", "send", "ann", two));
  EXPECT_NE(key({tool}, "files", "write", "ann", one), key({tool}, "mail", "write", "ann", one));
  EXPECT_NE(key({tool}, "files", "write", "ann", one), key({tool}, "files", "read", "ann", one));
  EXPECT_EQ(key({server}, "files", "write", "ann", one), key({server}, "files", "x", "ann", one));
  EXPECT_NE(key({session}, "files", "write", "ann", one),
            key({session}, "files", "write", "ann", two));
  EXPECT_NE(key({address}, "files", "write", "ann", one),
            key({address}, "files", "write", "ann", two));
  EXPECT_NE(key({}, "files", "write", "ann", one), key({}, "files", "write", "ann", one, {1, 2}));
  // Parts are kept apart: `ab` and `c` is another bucket than `a` and `bc`.
  const LimitFacts left{.session = "ab", .address = "c"};
  const LimitFacts right{.session = "a", .address = "bc"};
  EXPECT_NE(key({session, address}, "files", "write", "ann", left),
            key({session, address}, "files", "write", "ann", right));
}

/// The key of a bucket that is told apart by arguments, and the principals' team.
std::array<std::uint64_t, 2> key_of_arguments(std::string_view arguments, bool has_schema = true) {
  LimitConfig by_arguments = limit("a", {LimitKey::arguments}, {kTwoPerSecond});
  const LimitSet set(with_limits({by_arguments}));
  const auto sample = sample_tool_call("files", "write", arguments);
  const ToolDefinition tool = sample_tool(
      R"({"type":"object","properties":{"a":{},"b":{},"o":{"type":"object"},"x/y":{}}})");
  if (has_schema) sample->call.facts.tool = &tool;
  return set.draws(sample->call, {}).at(0).key;
}

TEST_F(Draws, ArgumentsAreTheSameInAnySpelling) {
  const struct {
    std::string_view name, one, other;
    bool is_same;
  } rows[] = {
      {"value", R"({"a":1})", R"({"a":2})", false},
      {"name", R"({"a":1})", R"({"b":1})", false},
      {"type", R"({"a":1})", R"({"a":"1"})", false},
      {"order of members", R"({"a":1,"b":2})", R"({"b":2,"a":1})", true},
      {"order below", R"({"o":{"x":1,"y":2}})", R"({"o":{"y":2,"x":1}})", true},
      {"order of elements", R"({"a":[1,2]})", R"({"a":[2,1]})", false},
      {"space", R"({"a":1})", R"({ "a" : 1 })", true},
      {"escapes", R"({"a":"A/"})", R"({"\u0061":"\u0041\/"})", true},
      {"numbers", R"({"a":100})", R"({"a":1.0e2})", true},
      {"large numbers", R"({"a":9007199254740993})", R"({"a":9007199254740992})", false},
      {"what the schema does not declare", R"({"a":1})", R"({"a":1,"salt":7})", true},
      {"a name with a slash", R"({"x/y":1})", R"({"x/y":2})", false},
      {"nothing declared", R"({})", R"({"salt":7})", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(key_of_arguments(row.one) == key_of_arguments(row.other), row.is_same);
  }
  // Without a schema nobody knows what the server reads.
  EXPECT_NE(key_of_arguments(R"({"a":1})", false), key_of_arguments(R"({"a":1,"salt":7})", false));
}

TEST_F(Draws, WhoLacksAnAttributeSharesABucketWithAllWhoDo) {
  LimitConfig by_team = limit("a", {}, {kTwoPerSecond});
  by_team.per_attributes = {"team"};
  const LimitSet set(with_limits({by_team}));
  Principal data{.id = "ann"}, web{.id = "bob"}, none{.id = "cid"}, empty{.id = "dan"};
  data.attributes = {{"team", "data"}};
  web.attributes = {{"team", "web"}};
  empty.attributes = {{"team", ""}, {"other", "x"}};
  const auto key = [&](const Principal* principal) {
    const auto sample = sample_tool_call("files", "write");
    sample->call.principal = principal;
    return set.draws(sample->call, {}).at(0).key;
  };
  EXPECT_NE(key(&data), key(&web));
  EXPECT_NE(key(&data), key(&none));
  EXPECT_EQ(key(&none), key(&empty));
  EXPECT_EQ(key(&none), key(nullptr));
  Principal another = data;
  another.id = "eve";
  EXPECT_EQ(key(&data), key(&another));
}

TEST(LimitTable, BudgetsTakeWhatACallCosts) {
  Counter counter(
      {limit("a", {}, {{.count = 10, .window = std::chrono::hours(1), .unit = LimitUnit::cost}})});
  counter.weight.cost = 6;
  EXPECT_FALSE(counter.take(seconds(0)));
  const auto refusal = counter.take(seconds(0));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->retry_after, std::chrono::minutes(12));
  counter.weight.cost = 4;
  EXPECT_FALSE(counter.take(seconds(0)));
  counter.weight.cost = 0;
  EXPECT_FALSE(counter.take(seconds(0)));
  counter.weight.cost = 11;
  EXPECT_EQ(counter.take(std::chrono::hours(10))->retry_after, std::chrono::hours(24));
  counter.weight.cost = ~std::uint64_t{0};
  EXPECT_TRUE(counter.take(std::chrono::hours(10)));
}

TEST(LimitTable, BytesOfAnswersAreOwed) {
  Counter counter(
      {limit("a", {}, {{.count = 1000, .window = seconds(10), .unit = LimitUnit::bytes}})});
  counter.weight.bytes = 400;
  EXPECT_FALSE(counter.take(seconds(0)));
  counter.charge_bytes(1600, seconds(0));  // 1000 more than there was.
  EXPECT_EQ(counter.take(seconds(0))->retry_after, seconds(14));
  EXPECT_TRUE(counter.take(milliseconds(13'999)));
  EXPECT_FALSE(counter.take(seconds(14)));
  counter.weight.bytes = 1001;
  EXPECT_EQ(counter.take(std::chrono::hours(1))->retry_after, std::chrono::hours(24));
  // A debt has an end, however much is owed.
  counter.weight.bytes = 1;
  for (int i = 0; i < 4; ++i)
    counter.charge_bytes(~std::uint64_t{0}, std::chrono::hours(1));
  EXPECT_EQ(counter.take(std::chrono::hours(1))->retry_after, std::chrono::hours(24));
}

TEST(LimitTable, ALargeDayOfBytesIsCountedToTheByte) {
  const std::uint64_t day = std::uint64_t{64} << 30;
  Counter counter({limit(
      "a", {}, {{.count = day, .window = std::chrono::hours(24), .unit = LimitUnit::bytes}})});
  counter.weight.bytes = day;
  EXPECT_FALSE(counter.take(seconds(0)));
  counter.weight.bytes = day / (std::uint64_t{24} * 3600);
  EXPECT_TRUE(counter.take(milliseconds(999)));
  EXPECT_FALSE(counter.take(milliseconds(1000)));
}

/// A limit that looks for loops, and calls that go by letters.
class LoopCounter {
 public:
  explicit LoopCounter(LoopConfig loop) {
    LimitConfig config = limit("a", {}, {});
    config.loop = loop;
    set_.emplace(with_limits({config}), sample_names());
  }
  std::optional<LimitTable::Refusal> take(char call, nanoseconds now = seconds(1)) {
    const auto sample =
        sample_tool_call("files", "write", std::string(R"({"a":")") + call + R"("})");
    return table_.take(*set_, set_->draws(sample->call, {}), {}, now);
  }
  /// The calls that pass, a `-` for each that does not.
  std::string passing(std::string_view calls) {
    std::string passed;
    for (const char call : calls)
      passed += take(call) ? '-' : call;
    return passed;
  }

 private:
  std::optional<LimitSet> set_;
  LimitTable table_;
};

TEST(LimitTable, StopsCallsThatGoRoundInACircle) {
  const struct {
    LoopConfig loop;
    std::string_view calls, passed;
  } rows[] = {
      {{.calls = 1, .repeats = 3}, "AAAAA", "AA---"},
      {{.calls = 1, .repeats = 3}, "AABAABA", "AABAABA"},
      {{.calls = 2, .repeats = 3}, "ABABABA", "ABABA--"},
      {{.calls = 2, .repeats = 3}, "AAA", "AA-"},
      {{.calls = 2, .repeats = 3}, "ABCABCABC", "ABCABCABC"},
      {{.calls = 3, .repeats = 2}, "ABCABC", "ABCAB-"},
      {{.calls = 3, .repeats = 2}, "XABCABC", "XABCAB-"},
      {{.calls = 3, .repeats = 2}, "ABCABDABC", "ABCABDABC"},
      {{.calls = 4, .repeats = 2}, "ABCDABCE", "ABCDABCE"},
      {{.calls = 4, .repeats = 2}, "ABCDABCD", "ABCDABC-"},
      {{.calls = 2, .repeats = 3}, "ABABABBAABAB", "ABABA-------"},
      {{.calls = 3, .repeats = 2}, "ABCABCABCBCA", "ABCAB-------"},
      {{.calls = 2, .repeats = 3}, "ABABABCABABAB", "ABABA-CABABA-"},
      // Another call ends the circle; the refused one is not remembered.
      {{.calls = 1, .repeats = 3}, "AAABAAA", "AA-BAA-"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.calls);
    EXPECT_EQ(LoopCounter(row.loop).passing(row.calls), row.passed);
  }
}

TEST(LimitTable, APauseEndsACircle) {
  LoopCounter counter({.calls = 1, .repeats = 2, .pause = seconds(10)});
  EXPECT_FALSE(counter.take('A', seconds(1)));
  const auto refusal = counter.take('A', seconds(5));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->lack, LimitTable::Lack::progress);
  EXPECT_EQ(refusal->retry_after, seconds(6));
  EXPECT_TRUE(counter.take('A', milliseconds(10'999)));
  EXPECT_FALSE(counter.take('A', seconds(11)));
  EXPECT_TRUE(counter.take('A', seconds(12)));
}

// Whatever callers there are, the table stays as large as it may be.
TEST(LimitTable, AMillionKeysNeedNoMoreMemory) {
  const LimitSet set(with_limits({limit("a", {}, {{.count = 1, .window = milliseconds(1000)}})}));
  LimitTable table({.buckets = 1024, .of_one_caller = 1024});
  LimitTable::Draws draws{{.key = {}, .limit = 0}};
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    // A thousand come at once, and then nobody for as long as they are remembered.
    draws[0].key = {i, i};
    passed += table.take(set, draws, {}, seconds(1 + i / 1000)) ? 0 : 1;
  }
  EXPECT_EQ(passed, 1'000'000U);
  EXPECT_LE(table.size(), 1024U);
  // Where none can be forgotten, nobody new passes.
  for (std::uint64_t i = 0; i < 2000; ++i) {
    draws[0].key = {~i, i};
    passed += table.take(set, draws, {}, seconds(2000)) ? 0 : 1;
  }
  EXPECT_EQ(passed, 1'001'024U);
  EXPECT_LE(table.size(), 1024U);
}

// Who calls with ever new arguments fills its own share, and nobody else's.
TEST(LimitTable, OneCallerHasNoMoreThanItsShare) {
  const LimitSet set(with_limits({limit("a", {}, {{.count = 1, .window = hours(24)}})}));
  LimitTable table({.buckets = 64, .of_one_caller = 8});
  LimitTable::Draws draws{{.key = {}, .limit = 0}};
  const auto take = [&](std::uint64_t caller, std::uint64_t key, nanoseconds now) {
    draws[0].key = {key, caller};
    const auto refusal = table.take(set, draws, {}, now, {.caller = caller});
    if (refusal) EXPECT_EQ(refusal->lack, LimitTable::Lack::bucket);
    return !refusal;
  };
  for (std::uint64_t key = 0; key < 1000; ++key)
    EXPECT_EQ(take(1, key, seconds(key)), key < 8) << key;
  EXPECT_EQ(table.size(), 8U);
  for (std::uint64_t caller = 2; caller < 9; ++caller) {
    for (std::uint64_t key = 0; key < 8; ++key)
      EXPECT_TRUE(take(caller, key, seconds(1000))) << caller << " " << key;
  }
  EXPECT_EQ(table.size(), 64U);
  // What is full again makes room: first that of its own, then that of anybody.
  EXPECT_TRUE(take(1, 2000, hours(24) + seconds(1)));
  EXPECT_TRUE(take(9, 0, hours(24) + seconds(1)));
  EXPECT_FALSE(take(9, 1, hours(24) + seconds(1))) << "all others are worth it";
  EXPECT_TRUE(take(9, 1, hours(24) + seconds(2)));
  EXPECT_EQ(table.size(), 64U);
}

// What a loop is found by is remembered for its pause, and then forgotten.
TEST(LimitTable, ChainsOfCallsAreForgotten) {
  LimitConfig config = limit("a", {LimitKey::session}, {});
  config.loop = LoopConfig{.pause = seconds(10)};
  Counter counter({config}, 2);
  EXPECT_FALSE(counter.take(seconds(1), "1"));
  EXPECT_FALSE(counter.take(seconds(5), "2"));
  EXPECT_EQ(counter.take(seconds(10), "3")->lack, LimitTable::Lack::bucket);
  EXPECT_FALSE(counter.take(seconds(11), "3"));
  EXPECT_EQ(counter.size(), 2U);
}

/// Calls of callers by letters, at one limit of so many slots, with a queue.
class QueueCounter {
 public:
  explicit QueueCounter(LimitConfig config)
      : set_(with_limits({std::move(config)}), sample_names()) {}

  /// Comes to the limit: `taken`, `waits` or `refused`.
  std::string come(char caller, Ticket ticket) {
    if (!refusal(ticket)) return "taken";
    return table_.wait(set_, draws_, {ticket, static_cast<std::uint64_t>(caller)}) ? "refused"
                                                                                   : "waits";
  }
  bool may_take(Ticket ticket) { return !refusal(ticket); }
  /// A call that has a slot ends.
  std::vector<Ticket> end() {
    table_.give_back(set_, draws_);
    return table_.next(set_, draws_);
  }
  std::vector<Ticket> leave(Ticket ticket) {
    table_.leave(draws_, ticket);
    return table_.next(set_, draws_);
  }

 private:
  std::optional<LimitTable::Refusal> refusal(Ticket ticket) {
    return table_.take(set_, draws_, {}, seconds(0), {.ticket = ticket});
  }

  LimitSet set_;
  std::unique_ptr<SampleCall> sample_ = sample_tool_call("files", "write");
  LimitTable::Draws draws_ = set_.draws(sample_->call, {});
  LimitTable table_;
};

LimitConfig slots_with_queue(std::uint32_t slots, std::uint32_t places) {
  LimitConfig config = limit("a", {}, {});
  config.concurrency = slots;
  config.queue = places;
  return config;
}

TEST(LimitTable, CallsWaitForSlotsInTurn) {
  QueueCounter counter(slots_with_queue(2, 8));
  EXPECT_EQ(counter.come('A', 1), "taken");
  EXPECT_EQ(counter.come('A', 2), "taken");
  EXPECT_EQ(counter.come('A', 3), "waits");
  EXPECT_EQ(counter.come('A', 4), "waits");
  EXPECT_EQ(counter.come('B', 5), "waits");
  EXPECT_FALSE(counter.may_take(3));
  EXPECT_EQ(counter.end(), std::vector<Ticket>{3});
  // The slot is for who waits, not for who comes.
  EXPECT_EQ(counter.come('C', 6), "waits");
  EXPECT_FALSE(counter.may_take(5));
  EXPECT_FALSE(counter.may_take(4));
  EXPECT_TRUE(counter.may_take(3));
  EXPECT_EQ(counter.end(), std::vector<Ticket>{5});
  EXPECT_EQ(counter.end(), (std::vector<Ticket>{5, 6}));
  EXPECT_TRUE(counter.may_take(6));
  EXPECT_EQ(counter.leave(5), std::vector<Ticket>{4});
  EXPECT_TRUE(counter.may_take(4));
  EXPECT_FALSE(counter.may_take(7));
  EXPECT_EQ(counter.end(), std::vector<Ticket>());
  EXPECT_EQ(counter.come('D', 8), "taken");
}

TEST(LimitTable, AQueueHasSoManyPlaces) {
  QueueCounter counter(slots_with_queue(1, 2));
  EXPECT_EQ(counter.come('A', 1), "taken");
  EXPECT_EQ(counter.come('A', 2), "waits");
  EXPECT_EQ(counter.come('A', 3), "refused");  // One place is for others.
  EXPECT_EQ(counter.come('B', 4), "waits");
  EXPECT_EQ(counter.come('C', 5), "refused");
  EXPECT_EQ(counter.leave(2), std::vector<Ticket>());
  EXPECT_EQ(counter.come('C', 6), "waits");
}

// One slot for each tool, and one for each principal: whoever waits for both holds up nobody who
// needs but one.
TEST(LimitTable, NobodyKeepsAPlaceWhileItLacksAnother) {
  LimitConfig of_tool = slots_with_queue(1, 8);
  of_tool.name = "of-tool";
  of_tool.per = {LimitKey::tool};
  LimitConfig of_principal = slots_with_queue(1, 8);
  of_principal.name = "of-principal";
  of_principal.per = {LimitKey::principal};
  const LimitSet set(with_limits({of_principal, of_tool}), sample_names());
  LimitTable table;
  Principal ann{.id = "ann"};
  Principal bob{.id = "bob"};
  const auto draws_of = [&set](const Principal& who, std::string_view tool) {
    const auto sample = sample_tool_call("files", tool);
    sample->call.principal = &who;
    return set.draws(sample->call, {});
  };
  const auto come = [&](const LimitTable::Draws& draws, Ticket ticket) {
    if (!table.take(set, draws, {}, seconds(0), {.ticket = ticket})) return true;
    EXPECT_FALSE(table.wait(set, draws, {ticket, ticket}).has_value());
    return false;
  };
  const auto bob_writes = draws_of(bob, "write");
  const auto ann_writes = draws_of(ann, "write");
  const auto ann_reads = draws_of(ann, "read_text");
  EXPECT_TRUE(come(bob_writes, 1));
  EXPECT_FALSE(come(ann_writes, 2));
  EXPECT_TRUE(come(ann_reads, 3));
  EXPECT_FALSE(come(ann_writes, 4));
  table.give_back(set, bob_writes);
  EXPECT_FALSE(come(ann_writes, 2));
  EXPECT_FALSE(come(ann_writes, 4));
  // Nobody else is held up by those two, who wait for their principal.
  EXPECT_TRUE(come(bob_writes, 5));
  table.give_back(set, bob_writes);
  table.give_back(set, ann_reads);
  EXPECT_TRUE(come(ann_writes, 2) || come(ann_writes, 4));
}

TEST(LimitTable, RoomIsAskedForBeforeACallWaits) {
  LimitConfig config = slots_with_queue(1, 4);
  config.rates = {{.count = 1, .window = milliseconds(1000)}};
  Counter counter({config});
  EXPECT_FALSE(counter.take(seconds(0)));
  EXPECT_EQ(counter.take(seconds(0))->lack, LimitTable::Lack::room);
  EXPECT_EQ(counter.take(seconds(1))->lack, LimitTable::Lack::slot);
  counter.give_back();
  // Nothing was charged for what could not go.
  EXPECT_FALSE(counter.take(seconds(1)));
}

/// A limit by the definition, in fractions of a token: its level, and when it had that.
class NaiveLimit {
 public:
  NaiveLimit(std::int64_t count, std::int64_t window_ms)
      : count_(count), window_ms_(window_ms), level_(count * window_ms) {}
  bool has_room(std::int64_t now_ms) {
    level_ = std::min(count_ * window_ms_, level_ + (now_ms - then_ms_) * count_);
    then_ms_ = now_ms;
    return level_ >= window_ms_;
  }
  void take() { level_ -= window_ms_; }

 private:
  std::int64_t count_, window_ms_, level_;
  std::int64_t then_ms_ = 0;
};

TEST(LimitTable, AgreesWithANaiveModel) {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    std::vector<LimitConfig> limits;
    std::vector<std::vector<std::pair<int, int>>> rates;
    for (int i = 0; i < 1 + round % 3; ++i) {
      rates.emplace_back();
      std::vector<Rate> of_limit;
      for (int j = 0; j < 1 + round % 2; ++j) {
        const int count = 1 + static_cast<int>(random() % 9);
        const int window = 1 + static_cast<int>(random() % 3000);
        rates.back().emplace_back(count, window);
        of_limit.push_back(
            {.count = static_cast<std::uint64_t>(count), .window = milliseconds(window)});
      }
      const bool by_session = random() % 2 == 0;
      limits.push_back(limit("l" + std::to_string(i),
                             by_session ? std::vector{LimitKey::session} : std::vector<LimitKey>(),
                             of_limit));
    }
    Counter counter(limits);
    std::map<std::string, std::vector<NaiveLimit>> models;
    std::int64_t now = 0;
    for (int step = 0; step < 300; ++step) {
      now += static_cast<std::int64_t>(random() % 400);
      const std::string session = random() % 2 == 0 ? "one" : "two";
      std::vector<NaiveLimit*> drawn;
      for (std::size_t i = 0; i < limits.size(); ++i) {
        auto& model = models[limits[i].name + (limits[i].per.empty() ? "" : session)];
        if (model.empty()) {
          for (const auto& [count, window] : rates[i])
            model.emplace_back(count, window);
        }
        for (NaiveLimit& one : model)
          drawn.push_back(&one);
      }
      bool room = true;
      for (NaiveLimit* one : drawn)
        room = one->has_room(now) && room;
      if (room) {
        for (NaiveLimit* one : drawn)
          one->take();
      }
      EXPECT_EQ(!counter.take(milliseconds(now), session).has_value(), room);
    }
  }
}

}  // namespace
}  // namespace bartizan
