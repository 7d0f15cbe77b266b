#include "policy/learn/replay_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/load/load_config.h"

namespace bartizan {
namespace {

using Outcome = ReplayedCall::Outcome;

const std::string kBase = R"(version = 1
[audit]
file = "record"
[server.s]
command = ["p"]
[role.r]
[principal.ann]
roles = ["r"]
[principal.bob]
roles = ["r"]
[rule.all]
effect = "permit"
roles = ["r"]
tools = ["s/*"]
)";

Config config_of(const std::string& more) {
  const LoadedConfig loaded = load_config_text(kBase + more, "p.toml");
  EXPECT_TRUE(loaded.usable()) << text(loaded.problems.front());
  return loaded.config;
}

constexpr std::int64_t kSecond = 1'000'000;

/// One run, call by call.
class Traffic {
 public:
  Traffic& call(std::int64_t at_us, const std::string& tool, std::int64_t took_us = 1) {
    CapturedCall call;
    call.order = calls().size() + 1;
    call.clock_us = kSecond * 1000 + at_us;
    call.time_ms = 1'800'000'000'000 + at_us / 1000;
    call.call = {.principal = "ann",
                 .roles = {"r"},
                 .target_kind = TargetKind::tool,
                 .server = "s",
                 .target = tool,
                 .method = "tools/call",
                 .arguments = "{}"};
    call.call.facts.time = call.time_ms / 1000;
    call.is_permitted = true;
    call.waited_us = 0;
    call.took_us = took_us;
    call.session = "one";
    calls().push_back(std::move(call));
    return *this;
  }
  CapturedCall& last() { return calls().back(); }
  Traffic& restart() {
    capture_.runs.push_back({.id = "later"});
    return *this;
  }

  /// The outcomes, each with its reason where it differs.
  std::vector<std::string> under(const std::string& more) const {
    const Config config = config_of(more);
    std::vector<std::string> told;
    for (const ReplayedCall& call : replay_calls(config, capture_).calls) {
      told.push_back(call.outcome == Outcome::same    ? "same"
                     : call.outcome == Outcome::apart ? "apart"
                     : call.answer.reason.empty()     ? "permitted"
                                                  : call.answer.reason + ":" + call.answer.rule);
    }
    return told;
  }
  std::vector<CapturedCall>& calls() { return capture_.runs.back().calls; }
  Capture& capture() { return capture_; }

 private:
  Capture capture_{.runs = {{.id = "first"}}};
};

using Told = std::vector<std::string>;

TEST(ReplayCalls, FillsRatesByTheTimesOfTheCapture) {
  Traffic traffic;
  for (int i = 0; i < 4; ++i)
    traffic.call(i * kSecond / 10, "t");
  traffic.call(61 * kSecond, "t");
  const std::string two = "[limit.few]\nper = [\"principal\"]\nrate = [\"2/min\"]\n";
  EXPECT_EQ(traffic.under(""), Told(5, "same"));
  EXPECT_EQ(traffic.under(two), (Told{"same", "same", "limited:few", "limited:few", "same"}));
  // Another process has forgotten everything.
  traffic.restart().call(62 * kSecond, "t").call(62 * kSecond, "t");
  EXPECT_EQ(traffic.under(two),
            (Told{"same", "same", "limited:few", "limited:few", "same", "same", "same"}));
}

TEST(ReplayCalls, HoldsSlotsForAsLongAsCallsTook) {
  Traffic traffic;
  traffic.call(0, "t", 3 * kSecond).call(kSecond, "t", kSecond).call(3 * kSecond, "t", kSecond);
  const std::string one = "[limit.one]\nper = [\"tool\"]\nconcurrency = 1\n";
  EXPECT_EQ(traffic.under(one), (Told{"same", "limited:one", "same"}));
  const std::string queue = one + "queue = 1\nqueue_timeout = \"";
  EXPECT_EQ(traffic.under(queue + "5s\"\n"), (Told{"same", "same", "same"}));
  EXPECT_EQ(traffic.under(queue + "1s\"\n"), (Told{"same", "limited:one", "same"}));
  // A place is left to the second, and none to the third.
  Traffic three;
  three.call(0, "t", 3 * kSecond).call(kSecond, "t").call(kSecond, "t");
  EXPECT_EQ(three.under(queue + "5s\"\n"), (Told{"same", "same", "limited:one"}));
}

TEST(ReplayCalls, HasNothingWaitThatTheGatewayAnswersItself) {
  Traffic traffic;
  traffic.call(0, "", 3 * kSecond).call(kSecond, "");
  for (CapturedCall& call : traffic.calls()) {
    call.call.method = "tools/list";
    call.call.target_kind = TargetKind::none;
    call.call.server.clear();
    call.call.arguments.clear();
  }
  const std::string one =
      "[limit.one]\nper = [\"principal\"]\nconcurrency = 1\nqueue = 1\nqueue_timeout = \"5s\"\n";
  EXPECT_EQ(traffic.under(one), (Told{"same", "limited:one"}));
  // What goes to one server of one does.
  for (CapturedCall& call : traffic.calls()) {
    call.call.method = "logging/setLevel";
    call.call.params = R"({"level":"info"})";
  }
  EXPECT_EQ(traffic.under(one + "[rule.m]\neffect = \"permit\"\nroles = [\"r\"]\nmethods = "
                                "[\"logging/setLevel\"]\n"),
            (Told{"same", "same"}));
}

TEST(ReplayCalls, KnowsWhatWasFoundOutThen) {
  const std::string resolved = R"([path.data]
root = "/srv"
resolve = "filesystem"
[path.part]
root = "/srv/a"
resolve = "filesystem"
[path.top]
root = "/"
resolve = "filesystem"
[tool."s/t".arguments]
"/p" = { path = "data" }
[tool."s/u".arguments]
"/p" = { path = "part" }
[tool."s/v".arguments]
"/p" = { path = "top" }
)";
  Traffic traffic;
  for (const char* tool : {"t", "u", "v", "t"}) {
    CapturedCall& call = traffic.call(0, tool).last();
    call.call.arguments = R"({"p":"/srv/a/x"})";
    call.gathered = {
        {{.kind = FactQuery::Kind::place, .root = "/srv", .name = "a/x"},
         FoundPlace{.where = FoundPlace::Where::inside, .kind = FoundPlace::Kind::file}}};
  }
  traffic.last().gathered[0].finding = FoundPlace{.where = FoundPlace::Where::outside};
  EXPECT_EQ(traffic.under(resolved),
            (Told{"same", "same", "argument_undecidable:", "path_outside_root:"}));
  const Config config = config_of(resolved);
  const Replay replay = replay_calls(config, traffic.capture());
  EXPECT_TRUE(replay.calls[2].lacks_facts);
  EXPECT_FALSE(replay.calls[3].lacks_facts);
}

TEST(ReplayCalls, CountsBytesAndCosts) {
  Traffic traffic;
  traffic.call(0, "t").last().bytes_out = 3000;
  traffic.call(kSecond, "t").call(2 * kSecond, "u");
  EXPECT_EQ(traffic.under("[limit.bytes]\nper = []\nbytes = [\"2 KiB/h\"]\n"),
            (Told{"same", "limited:bytes", "limited:bytes"}));
  EXPECT_EQ(traffic.under("[limit.cost]\nper = []\nbudget = [\"2/h\"]\n[tool.\"s/t\"]\ncost = 2\n"),
            (Told{"same", "limited:cost", "limited:cost"}));
}

TEST(ReplayCalls, FindsCallsThatGoRound) {
  Traffic traffic;
  for (int i = 0; i < 6; ++i)
    traffic.call(i * kSecond, i % 2 == 0 ? "t" : "u");
  EXPECT_EQ(traffic.under("[limit.circles]\nper = [\"session\"]\nloop = { repeats = 3 }\n"),
            (Told{"same", "same", "same", "same", "same", "call_loop:circles"}));
}

TEST(ReplayCalls, FollowsFlowsBySessionOrPrincipal) {
  const std::string flow = R"([tool."s/read"]
labels = ["private"]
[tool."s/post"]
labels = ["public_sink"]
[flow.stays]
after = ["private"]
to = ["public_sink"]
window = "1min"
)";
  Traffic traffic;
  traffic.call(0, "post").call(1, "read").call(2, "post").call(3, "post").last().session = "two";
  EXPECT_EQ(traffic.under(flow), (Told{"same", "same", "flow_refused:stays", "same"}));
  Traffic modern;
  modern.call(0, "read").last().session = "";
  modern.call(kSecond, "post").last().session = "";
  modern.call(kSecond, "post").last().session = "";
  modern.last().call.principal = "bob";
  modern.call(100 * kSecond, "post").last().session = "";
  EXPECT_EQ(modern.under(flow), (Told{"same", "flow_refused:stays", "same", "same"}));
}

TEST(ReplayCalls, LeavesApartWhatNoPolicySaid) {
  Traffic traffic;
  for (const auto& [check, reason] :
       std::vector<std::pair<std::string, std::string>>{{"circuit", "circuit_open"},
                                                        {"gateway", "server_unavailable"},
                                                        {"headers", "header_mismatch"},
                                                        {"existence", "tool_quarantined"}}) {
    CapturedCall& call = traffic.call(0, "t").last();
    call.is_permitted = false;
    call.check = check;
    call.reason = reason;
    call.waited_us.reset();
  }
  // None of them takes from a limit; one that had taken does.
  traffic.call(1, "t");
  const std::string one = "[limit.few]\nper = []\nrate = [\"1/h\"]\n";
  EXPECT_EQ(traffic.under(one), (Told{"apart", "apart", "apart", "apart", "same"}));
  traffic.calls()[1].waited_us = 0;
  EXPECT_EQ(traffic.under(one), (Told{"apart", "apart", "apart", "apart", "limited:few"}));
}

TEST(ReplayCalls, ChargesAndDoesNotMarkWhatWasNeverSent) {
  const std::string policy = R"([tool."s/read"]
labels = ["private"]
[tool."s/post"]
labels = ["public_sink"]
[flow.stays]
after = ["private"]
to = ["public_sink"]
[limit.bytes]
per = []
bytes = ["2 KiB/h"]
tools = ["s/read"]
)";
  Traffic traffic;
  CapturedCall& call = traffic.call(0, "read").last();
  call.is_permitted = false;
  call.check = "circuit";
  call.reason = "circuit_open";
  call.bytes_out = 3000;
  traffic.call(1, "post").call(2, "read");
  EXPECT_EQ(traffic.under(policy), (Told{"apart", "same", "limited:bytes"}));
}

TEST(ReplayCalls, TellsRefusalsApart) {
  Traffic traffic;
  CapturedCall& call = traffic.call(0, "t").last();
  call.is_permitted = false;
  call.check = "access";
  call.reason = "forbidden";
  call.rule = "no";
  EXPECT_EQ(traffic.under(""), Told{"permitted"});
  const std::string forbid = "effect = \"forbid\"\nroles = [\"*\"]\ntools = [\"s/t\"]\n";
  EXPECT_EQ(traffic.under("[rule.no]\n" + forbid), Told{"same"});
  EXPECT_EQ(traffic.under("[rule.never]\n" + forbid), Told{"forbidden:never"});
}

TEST(ReplayCalls, RefusesWhatAPolicyDoesNotKnow) {
  Traffic traffic;
  traffic.call(0, "t").last().call.principal = "gone";
  traffic.call(0, "t").last().call.server = "gone";
  EXPECT_EQ(traffic.under(""), (Told{"principal_unknown:", "no_matching_rule:"}));
}

TEST(ReplayCalls, JudgesIntegersBeyond64Bits) {
  Traffic traffic;
  traffic.call(0, "t").last().call.arguments = R"({"n":100000000000000000000001})";
  traffic.call(1, "t").last().call.arguments = R"({"n":100000000000000000000000})";
  const std::string arguments = "[tool.\"s/t\".arguments]\n";
  EXPECT_EQ(traffic.under(arguments + "\"/n\" = { number = { min = 1 } }\n"),
            (Told{"same", "same"}));
  EXPECT_EQ(traffic.under(arguments + "\"/n\" = { number = { max = 1e23 } }\n"),
            (Told{"argument_not_allowed:", "same"}));
}

TEST(ReplayCalls, JudgesByTheDefinitionOfTheCaptureOrSaysThatThereIsNone) {
  Traffic traffic;
  CapturedCall& call = traffic.call(0, "t").last();
  call.call.arguments = R"({"n":"text"})";
  call.known = KnownDefinition::listed;
  call.definition = "f";
  traffic.capture().definitions["f"] =
      R"({"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}})";
  traffic.call(1, "t").last().call.arguments = R"({"n":"text"})";
  traffic.call(2, "u");
  traffic.call(3, "v").last().known = KnownDefinition::none;
  const Config config = config_of("");
  const Replay replay = replay_calls(config, traffic.capture());
  EXPECT_EQ(replay.calls[0].answer.reason, "arguments_invalid");
  EXPECT_EQ(replay.calls[1].answer.reason, "arguments_invalid");
  EXPECT_EQ(replay.calls[2].outcome, Outcome::same);
  EXPECT_EQ(replay.calls[3].answer.reason, "tool_unknown");
  EXPECT_EQ(replay.assumed_tools, std::set<std::string>{"s/u"});
}

TEST(ReplayCalls, IsTheSameEachTime) {
  Traffic traffic;
  for (int i = 0; i < 200; ++i)
    traffic.call(i % 7 * kSecond, i % 3 == 0 ? "t" : "u", i % 5 * kSecond);
  const std::string limits =
      "[limit.few]\nper = [\"tool\"]\nrate = [\"20/min\"]\nconcurrency = 2\nqueue = 4\n";
  EXPECT_EQ(traffic.under(limits), traffic.under(limits));
}

}  // namespace
}  // namespace bartizan
