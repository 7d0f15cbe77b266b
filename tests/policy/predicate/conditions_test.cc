#include "policy/predicate/conditions.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/policy/sample.h"

namespace bartizan {

std::ostream& operator<<(std::ostream& out, TriState truth) {
  return out << (truth == TriState::yes           ? "yes"
                 : truth == TriState::no          ? "no"
                 : truth == TriState::undecidable ? "undecidable"
                                                  : "any");
}

namespace {

constexpr ServerFacts kServer{.cwd = "/srv/data", .trust = Trust::verified};

RuleConditions asking(std::string pointer, Predicate predicate, bool optional = false) {
  RuleConditions conditions;
  conditions.arguments.push_back(
      {.pointer = std::move(pointer), .predicate = std::move(predicate), .optional = optional});
  return conditions;
}

RuleConditions asking(decltype(FactCondition::fact) fact) {
  RuleConditions conditions;
  conditions.facts.push_back({.fact = std::move(fact)});
  return conditions;
}

const Predicate kAcme = OneOfPredicate{{R"("acme")"}};
const Predicate kFew = NumberPredicate{"1", "9"};
const Predicate kIntern =
    UrlPredicate{.form = {.schemes = {"https"}, .hosts = {"intern.example.com"}}};

TriState judge(const RuleConditions& conditions, const EvalContext& of) {
  const Config config = sample_config();
  ValueFacts values{.cwd = kServer.cwd};
  return Conditions(conditions, config.paths).judge(of, kServer, values);
}

TriState judge_arguments(const RuleConditions& conditions, std::string_view arguments) {
  const auto call = sample_tool_call("files", "read_text", arguments);
  return judge(conditions, {.arguments = call->call.message.arguments});
}

TEST(Conditions, OnArgumentsHaveThreeAnswers) {
  const struct {
    std::string_view name;
    RuleConditions when;
    std::string_view arguments;
    TriState want;
  } rows[] = {
      {"it holds", asking("/owner", kAcme), R"({"owner":"acme"})", TriState::yes},
      {"however it is spelled", asking("/owner", kAcme), R"({"owner":"\u0061cme"})", TriState::yes},
      {"it does not", asking("/owner", kAcme), R"({"owner":"acme "})", TriState::no},
      {"another type", asking("/owner", kAcme), R"({"owner":7})", TriState::undecidable},
      {"null", asking("/owner", kAcme), R"({"owner":null})", TriState::undecidable},
      {"nothing", asking("/owner", kAcme), "{}", TriState::undecidable},
      {"nothing, optional", asking("/owner", kAcme, true), "{}", TriState::no},
      {"no arguments", asking("/owner", kAcme), "", TriState::undecidable},
      {"no arguments, optional", asking("/owner", kAcme, true), "", TriState::no},
      {"all elements hold", asking("/a/*", kFew), R"({"a":[1,2]})", TriState::yes},
      {"none holds", asking("/a/*", kFew), R"({"a":[0,10]})", TriState::no},
      {"one good and one bad", asking("/a/*", kFew), R"({"a":[1,10]})", TriState::undecidable},
      {"one bad and one good", asking("/a/*", kFew), R"({"a":[10,1]})", TriState::undecidable},
      {"one of another type", asking("/a/*", kFew), R"({"a":[1,"2"]})", TriState::undecidable},
      {"an empty array", asking("/a/*", kFew), R"({"a":[]})", TriState::undecidable},
      {"an empty array, optional", asking("/a/*", kFew, true), R"({"a":[]})", TriState::no},
      {"a string for an array", asking("/a/*", kFew, true), R"({"a":"1"})", TriState::undecidable},
      {"an object for an array", asking("/a/*", kFew, true), R"({"a":{"0":1}})",
       TriState::undecidable},
      {"optional below another shape", asking("/a/b", kFew, true), R"({"a":1})",
       TriState::undecidable},
      {"a hole among values", asking("/a/*/b", kFew, true), R"({"a":[{"b":1},{}]})",
       TriState::undecidable},
      {"only holes", asking("/a/*/b", kFew, true), R"({"a":[{},{}]})", TriState::no},
      {"absent, as wanted", asking("/a", AbsentPredicate{}), "{}", TriState::yes},
      {"absent without arguments", asking("/a", AbsentPredicate{}), "", TriState::yes},
      {"not absent", asking("/a", AbsentPredicate{}), R"({"a":null})", TriState::no},
      {"absent below another shape", asking("/a/b", AbsentPredicate{}), R"({"a":1})",
       TriState::undecidable},
      {"within a place", asking("/p", PathPredicate{"docs"}), R"({"p":"a/b"})", TriState::yes},
      {"outside of it", asking("/p", PathPredicate{"docs"}), R"({"p":"/etc/passwd"})",
       TriState::no},
      {"a place that decoding leads to", asking("/p", PathPredicate{"docs"}),
       R"({"p":"/srv/%64ata/a"})", TriState::undecidable},
      {"a place that backslashes lead to", asking("/p", PathPredicate{"docs"}),
       R"({"p":"/srv/x/..\\data/a"})", TriState::undecidable},
      {"a URL of the host", asking("/u", kIntern), R"({"u":"https://intern.example.com/"})",
       TriState::yes},
      {"another host", asking("/u", kIntern), R"({"u":"http://other.example.com:444/"})",
       TriState::no},
      {"the host with credentials", asking("/u", kIntern),
       R"({"u":"https://u@intern.example.com/"})", TriState::undecidable},
      {"the host by another port", asking("/u", kIntern),
       R"({"u":"https://intern.example.com:444/"})", TriState::undecidable},
      {"the host by another scheme", asking("/u", kIntern), R"({"u":"http://intern.example.com/"})",
       TriState::undecidable},
      {"no URL", asking("/u", kIntern), R"({"u":"intern.example.com"})", TriState::undecidable},
      {"a spelling that servers read in two ways", asking("/p", PathPredicate{"docs"}),
       R"({"p":"a\u0000b"})", TriState::undecidable},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(judge_arguments(row.when, row.arguments), row.want);
  }
}

TEST(Conditions, OnFactsAreUndecidableWhereTheFactIsUnknown) {
  constexpr std::int64_t kSunday = 1'700'000'000 - 1'700'000'000 % 86'400 - 2 * 86'400;
  const EvalContext known{.now = kSunday + 9 * 3'600,
                          .method = "resources/read",
                          .transport = Transport::http,
                          .version = ProtocolVersion::v2025_11_25,
                          .client_address = "10.1.2.3"};
  const auto at = [](std::string_view address) { return EvalContext{.client_address = address}; };
  const RuleConditions net = asking(AddressCondition{{"10.0.0.0/8", "2001:db8::/32"}});
  const RuleConditions sunday = asking(TimeCondition{.days = 0x40, .zone = "UTC"});
  const struct {
    std::string_view name;
    RuleConditions when;
    EvalContext of;
    TriState want;
  } rows[] = {
      {"method", asking(MethodCondition{{"resources/read"}}), known, TriState::yes},
      {"another method", asking(MethodCondition{{"resources/reads"}}), known, TriState::no},
      {"no method", asking(MethodCondition{{"resources/read"}}), {}, TriState::undecidable},
      {"transport", asking(TransportCondition{{Transport::http}}), known, TriState::yes},
      {"another transport", asking(TransportCondition{{Transport::stdio}}), known, TriState::no},
      {"no transport", asking(TransportCondition{{Transport::stdio}}), {}, TriState::undecidable},
      {"revision", asking(RevisionCondition{{ProtocolVersion::v2025_11_25}}), known, TriState::yes},
      {"another revision", asking(RevisionCondition{{ProtocolVersion::v2025_06_18}}), known,
       TriState::no},
      {"no revision",
       asking(RevisionCondition{{ProtocolVersion::v2025_06_18}}),
       {},
       TriState::undecidable},
      {"in the network", net, known, TriState::yes},
      {"almost in it", net, at("11.0.0.0"), TriState::no},
      {"in the other", net, at("2001:db8:1::"), TriState::yes},
      {"mapped into IPv6", net, at("::ffff:10.0.0.1"), TriState::yes},
      {"no address", net, at("uid:1000"), TriState::undecidable},
      {"a spelling of URLs", net, at("0x0a000001"), TriState::undecidable},
      {"none known", net, {}, TriState::undecidable},
      {"all of IPv6 is not IPv4", asking(AddressCondition{{"::/0"}}), known, TriState::no},
      {"trust", asking(ServerTrustCondition{{Trust::verified}}), known, TriState::yes},
      {"more trust is another", asking(ServerTrustCondition{{Trust::system}}), known, TriState::no},
      {"a day", sunday, known, TriState::yes},
      {"the day before", sunday, {.now = kSunday - 1}, TriState::no},
      {"nothing asked", {}, {}, TriState::yes},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(judge(row.when, row.of), row.want);
  }
}

TEST(Conditions, AskForTheClassOfAToolAndOfItsChain) {
  using enum Risk;
  using enum Reversibility;
  const RuleConditions risky = asking(RiskCondition{ClassOf::tool, {high, critical}});
  const RuleConditions risky_chain = asking(RiskCondition{ClassOf::chain, {high, critical}});
  const RuleConditions undone = asking(ReversibilityCondition{ClassOf::tool, {irreversible}});
  const RuleConditions undone_chain =
      asking(ReversibilityCondition{ClassOf::chain, {irreversible}});
  ToolDefinition harmless;
  ToolDefinition destructive;
  destructive.says_destructive = true;
  const struct {
    std::string_view name;
    RuleConditions when;
    CallClass profiled;
    CallClass chain;
    const ToolDefinition* tool;
    TriState want;
  } rows[] = {
      {"high", risky, {.risk = high}, {}, nullptr, TriState::yes},
      {"medium", risky, {.risk = medium}, {}, nullptr, TriState::no},
      {"nobody says", risky, {}, {}, nullptr, TriState::undecidable},
      {"another class", risky, {.reversibility = irreversible}, {}, nullptr, TriState::undecidable},
      {"a chain that was high", risky_chain, {.risk = low}, {.risk = high}, nullptr, TriState::yes},
      {"a chain that was not", risky_chain, {.risk = low}, {.risk = medium}, nullptr, TriState::no},
      {"a chain of one", risky_chain, {.risk = critical}, {}, nullptr, TriState::yes},
      {"a chain, and nobody says of this call",
       risky_chain,
       {},
       {.risk = low},
       nullptr,
       TriState::undecidable},
      {"the tool alone", risky, {.risk = low}, {.risk = critical}, nullptr, TriState::no},
      {"undone by nobody", undone, {.reversibility = irreversible}, {}, nullptr, TriState::yes},
      {"undone by people", undone, {.reversibility = recoverable}, {}, nullptr, TriState::no},
      {"a definition that says destructive",
       undone,
       {.reversibility = reversible},
       {},
       &destructive,
       TriState::yes},
      {"… where nobody else says", undone, {}, {}, &destructive, TriState::yes},
      {"a definition that says nothing",
       undone,
       {.reversibility = irreversible},
       {},
       &harmless,
       TriState::yes},
      {"a chain with something destructive",
       undone_chain,
       {.reversibility = reversible},
       {.reversibility = irreversible},
       &harmless,
       TriState::yes},
  };
  for (const auto& row : rows) {
    ValueFacts values{.steps = {limits::rule_steps_max}};
    ServerFacts server = kServer;
    server.profiled = row.profiled;
    EXPECT_EQ(
        Conditions(row.when, {}).judge({.tool = row.tool, .chain = row.chain}, server, values),
        row.want)
        << row.name;
  }
  const EvalContext list = any_call_at(0, "");
  ValueFacts values{.steps = {limits::rule_steps_max}};
  EXPECT_EQ(Conditions(risky_chain, {}).judge(list, kServer, values), TriState::any);
}

TEST(Conditions, AreUndecidableBeyondTheirBound) {
  const auto judge_elements = [](std::uint64_t count) {
    std::string arguments = R"({"a":[1)";
    for (std::uint64_t i = 1; i < count; ++i)
      arguments += ",1";
    const auto call = sample_tool_call("files", "read_text", arguments + "]}");
    ValueFacts values{.steps = {limits::rule_steps_max}};
    return Conditions(asking("/a/*", kFew), {})
        .judge({.arguments = call->call.message.arguments}, kServer, values);
  };
  EXPECT_EQ(judge_elements(limits::rule_steps_max - 1), TriState::yes);
  EXPECT_EQ(judge_elements(limits::rule_steps_max), TriState::undecidable);
}

TEST(Conditions, TakeAServersWordOnlyTowardCaution) {
  ToolDefinition listed;
  listed.fingerprint = "f";
  ToolDefinition changed;
  changed.fingerprint = "g";
  const PinnedTool harmless{
      .fingerprint = "f",
      .hints = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
      .is_approved = true};
  PinnedTool first_use = harmless;
  first_use.is_approved = false;
  PinnedTool silent = harmless;
  silent.hints = {};
  // A person approved a fingerprint: what is listed with it says the hints.
  const PinnedTool by_fingerprint{
      .fingerprint = "f", .hints = {}, .is_approved = true, .hints_as_listed = true};
  ToolDefinition claiming = listed;
  claiming.hints = harmless.hints;
  ToolDefinition lying = changed;
  lying.hints = harmless.hints;
  const struct {
    std::string_view name;
    const PinnedTool* pinned;
    const ToolDefinition* tool;
    bool is_harmless;
  } rows[] = {
      {"approved, and listed so", &harmless, &listed, true},
      {"approved, and no list known", &harmless, nullptr, true},
      {"listed otherwise", &harmless, &changed, false},
      {"taken at first use", &first_use, &listed, false},
      {"approved without a word", &silent, &listed, false},
      {"in no lock file", nullptr, &listed, false},
      {"in no lock file, and claims to be harmless", nullptr, &claiming, false},
      {"approved by fingerprint, and claims it", &by_fingerprint, &claiming, true},
      {"approved by fingerprint, and claims nothing", &by_fingerprint, &listed, false},
      {"approved by fingerprint, and another claims it", &by_fingerprint, &lying, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    for (const ToolHint hint :
         {ToolHint::read_only, ToolHint::destructive, ToolHint::idempotent, ToolHint::open_world}) {
      for (const bool value : {false, true}) {
        ValueFacts values;
        const Conditions conditions(asking(HintCondition{hint, value}), {});
        const TriState want =
            row.is_harmless == (harmless_value(hint) == value) ? TriState::yes : TriState::no;
        EXPECT_EQ(conditions.judge({.tool = row.tool}, {.pinned = row.pinned}, values), want);
      }
    }
  }
  // Before the list is known, a call is refused, and the list is asked for: the tool may be
  // harmless.
  ValueFacts values;
  const Conditions conditions(asking(HintCondition{ToolHint::read_only, true}), {});
  const ServerFacts server{.pinned = &by_fingerprint};
  EXPECT_EQ(conditions.judge({}, server, values), TriState::undecidable);
  EXPECT_EQ(conditions.judge({.about = EvalContext::About::any_call}, server, values),
            TriState::any);
}

TEST(Conditions, AreConjoined) {
  const std::vector<RuleConditions> parts{asking("/t", kFew), asking("/f", kFew),
                                          asking("/u", kFew)};
  const std::vector<TriState> truths{TriState::yes, TriState::no, TriState::undecidable};
  for (std::size_t one = 0; one < parts.size(); ++one) {
    for (std::size_t other = 0; other < parts.size(); ++other) {
      RuleConditions both = parts[one];
      both.arguments.push_back(parts[other].arguments.front());
      const TriState want = one == other             ? truths[one]
                            : one == 1 || other == 1 ? TriState::no
                                                     : TriState::undecidable;
      EXPECT_EQ(judge_arguments(both, R"({"t":1,"f":0,"u":"x"})"), want) << one << other;
    }
  }
}

TEST(Conditions, OnWhatTheToolDoesNotDeclareAreUndecidable) {
  const auto call = sample_tool_call("files", "read_text", R"({"owner":"acme","other":"acme"})");
  const ToolDefinition tool =
      sample_tool(R"({"type":"object","properties":{"owner":{"type":"string"}}})");
  const EvalContext of{.tool = &tool, .arguments = call->call.message.arguments};
  EXPECT_EQ(judge(asking("/owner", kAcme), of), TriState::yes);
  EXPECT_EQ(judge(asking("/other", kAcme), of), TriState::undecidable);
  EXPECT_EQ(judge(asking("/absent", AbsentPredicate{}), of), TriState::undecidable);
}

TEST(Conditions, OfAnyCallMayBeAnything) {
  EvalContext of = any_call_at(0, std::nullopt);
  EXPECT_EQ(judge(asking("/owner", kAcme), of), TriState::any);
  EXPECT_EQ(judge(asking(TransportCondition{{Transport::http}}), of), TriState::any);
  of.transport = Transport::stdio;
  EXPECT_EQ(judge(asking(TransportCondition{{Transport::http}}), of), TriState::no);
  // Over standard input nobody ever has an address.
  EXPECT_EQ(judge(asking(AddressCondition{{"10.0.0.0/8"}}), of), TriState::undecidable);
}

TEST(Truth, OfBothIsWhatEveryPairOfAnswersGives) {
  const TriState all[] = {TriState::no, TriState::undecidable, TriState::yes};
  for (const TriState one : all) {
    for (const TriState other : all) {
      const TriState want = one == TriState::no || other == TriState::no ? TriState::no
                            : one == TriState::yes                       ? other
                                                                         : TriState::undecidable;
      EXPECT_EQ(one & other, want) << one << other;
    }
  }
  EXPECT_EQ(TriState::any & TriState::no, TriState::no);
  EXPECT_EQ(TriState::any & TriState::yes, TriState::any);
  EXPECT_FALSE((TriState::any & TriState::undecidable).can_be_true());
  EXPECT_TRUE((TriState::any & TriState::undecidable).can_be_false());
}

TEST(TimeWindow, IsOnTheClocksOfItsZone) {
  const auto at = [](int year, unsigned month, unsigned day, int hour, int minute) {
    return (std::chrono::sys_days(std::chrono::year(year) / static_cast<int>(month) /
                                  static_cast<int>(day)) +
            std::chrono::hours(hour) + std::chrono::minutes(minute))
               .time_since_epoch() /
           std::chrono::seconds(1);
  };
  const TimeCondition office{
      .days = 0x1f, .from = 9 * 60, .to = 17 * 60, .zone = "America/New_York"};
  const TimeCondition night{.days = 0x10, .from = 22 * 60, .to = 6 * 60, .zone = "Europe/Berlin"};
  const struct {
    std::string_view name;
    TimeCondition window;
    std::int64_t now;
    bool want;
  } rows[] = {
      {"winter, it opens", office, at(2026, 1, 5, 14, 0), true},
      {"winter, a minute before", office, at(2026, 1, 5, 13, 59), false},
      {"summer, it opens an hour earlier", office, at(2026, 7, 6, 13, 0), true},
      {"the end is outside", office, at(2026, 1, 5, 22, 0), false},
      {"a minute before the end", office, at(2026, 1, 5, 21, 59), true},
      {"Saturday", office, at(2026, 1, 3, 15, 0), false},
      {"Friday night", night, at(2026, 1, 2, 21, 0), true},
      {"Saturday morning is Friday's", night, at(2026, 1, 3, 4, 59), true},
      {"Saturday, when it has ended", night, at(2026, 1, 3, 5, 0), false},
      {"Saturday night is not asked for", night, at(2026, 1, 3, 21, 0), false},
      {"Friday morning is Thursday's", night, at(2026, 1, 2, 3, 0), false},
      {"before 1970", TimeCondition{.days = 0x04, .zone = "UTC"}, -1, true},
      {"no such zone", TimeCondition{.zone = "Europe/Berlln"}, 0, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(TimeWindow(row.window).holds(row.now), row.want);
  }
  EXPECT_TRUE(TimeWindow(office).has_zone());
  for (const std::string_view none : {"Mars/Olympus", "Etc/Unknown", "GMT+5", "europe/berlin", ""})
    EXPECT_FALSE(TimeWindow({.zone = std::string(none)}).has_zone()) << none;
  EXPECT_TRUE(TimeWindow({.zone = "Etc/GMT+5"}).has_zone());
}

TEST(AddressRange, IsAPrefixWithNothingBehindIt) {
  for (const std::string_view good : {"10.0.0.0/8", "0.0.0.0/0", "::/0", "127.0.0.1", "::1",
                                      "2001:db8::/33", "192.0.2.128/25", "10.0.0.1/32"}) {
    EXPECT_TRUE(AddressRange::parse(good).has_value()) << good;
  }
  for (const std::string_view bad :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/ 8", "10.1.0.0/8",
        "10.0.0/8", "0x0a.0.0.0/8", "::1/0", "::/129", "localhost", "10.0.0.0/8/8",
        "2001:db8::1/64"}) {
    EXPECT_FALSE(AddressRange::parse(bad).has_value()) << bad;
  }
  const auto everyone = AddressRange::parse("0.0.0.0/0").value();
  EXPECT_TRUE(everyone.holds(read_address("255.1.2.3").value()));
  EXPECT_FALSE(everyone.holds(read_address("2001:db8::1").value()));
}

// Whatever a rule does with the answer, it is never granted what its path was about.
TEST(Conditions, OnPathsAreFalseOnlyWhereAPathSurelyLeadsElsewhere) {
  Config config = sample_config();
  PathConfig& docs = config.paths["docs"];
  docs.kind = PathConfig::Kind::file;
  docs.extensions = {".md"};
  docs.refuse_hidden = true;
  docs.deny = {"secrets"};
  const struct {
    std::string_view name;
    std::string_view path;
    TriState want;
    TriState where_case_folds;
  } rows[] = {
      {"inside", "a/b.md", TriState::yes, TriState::yes},
      {"outside", "/etc/passwd", TriState::no, TriState::no},
      {"another extension", "a.exe", TriState::undecidable, TriState::undecidable},
      {"hidden", ".a.md", TriState::undecidable, TriState::undecidable},
      {"denied", "secrets/a.md", TriState::undecidable, TriState::undecidable},
      {"a folder", "a.md/", TriState::undecidable, TriState::undecidable},
      {"outside as it is spelled", "..%2f..%2fetc", TriState::undecidable, TriState::undecidable},
      {"outside behind an escape", "/etc/%41", TriState::undecidable, TriState::undecidable},
      {"outside behind a backslash", "/etc\\\\a", TriState::undecidable, TriState::undecidable},
      {"odd", "~/a.md", TriState::undecidable, TriState::undecidable},
      {"the root in another case", "/SRV/data/a.md", TriState::no, TriState::undecidable},
      {"denied in another case", "SECRETS/a.md", TriState::yes, TriState::undecidable},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto call =
        sample_tool_call("files", "read_text", "{\"path\":\"" + std::string(row.path) + "\"}");
    const EvalContext of{.arguments = call->call.message.arguments};
    for (const bool folds : {false, true}) {
      docs.folds_case = folds;
      ValueFacts values{.cwd = kServer.cwd};
      const Conditions conditions(asking("/path", PathPredicate{"docs"}), config.paths);
      EXPECT_EQ(conditions.judge(of, kServer, values), folds ? row.where_case_folds : row.want);
    }
  }
}

}  // namespace
}  // namespace bartizan
