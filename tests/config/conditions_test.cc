#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "config/same_entry.h"
#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

/// A configuration with a rule on tools that, in line 8, has that line more.
std::string with_line(std::string_view line, std::string_view effect = "permit",
                      std::string_view target = "tools = [\"s/*\"]") {
  return "version = 1\naudit.file = \"x\"\nserver.s.command = [\"p\"]\n[rule.r]\nroles = "
         "[\"*\"]\n" +
         std::string(target) + "\neffect = \"" + std::string(effect) + "\"\n" + std::string(line) +
         "\n";
}

RuleConfig load_rule(std::string_view line) {
  const LoadedConfig loaded = load_config_text(with_line(line), "c.toml");
  EXPECT_EQ(all_text(loaded.problems), "");
  return loaded.config.rules.at("r");
}

TEST(Conditions, AreWhatTheirTablesSay) {
  const struct {
    std::string_view name, entry;
    decltype(FactCondition::fact) want;
  } rows[] = {
      {"method", R"(method = ["tools/call"])", MethodCondition{{"tools/call"}}},
      {"transport", R"(transport = ["stdio", "http"])",
       TransportCondition{{Transport::stdio, Transport::http}}},
      {"revision", R"(revision = ["2025-11-25"])",
       RevisionCondition{{ProtocolVersion::v2025_11_25}}},
      {"address", R"(client_address = ["10.0.0.0/8", "::1"])",
       AddressCondition{{"10.0.0.0/8", "::1"}}},
      {"trust", R"(server_trust = ["system"])", ServerTrustCondition{{Trust::system}}},
      {"a hint", "read_only = true", HintCondition{ToolHint::read_only, true}},
      {"another", "destructive = false", HintCondition{ToolHint::destructive, false}},
      {"a third", "idempotent = false", HintCondition{ToolHint::idempotent, false}},
      {"a fourth", "open_world = true", HintCondition{ToolHint::open_world, true}},
      {"risk", R"(risk = ["high", "critical"])",
       RiskCondition{ClassOf::tool, {Risk::high, Risk::critical}}},
      {"risk of a chain", R"(chain_risk = ["low"])", RiskCondition{ClassOf::chain, {Risk::low}}},
      {"reversibility", R"(reversibility = ["irreversible"])",
       ReversibilityCondition{ClassOf::tool, {Reversibility::irreversible}}},
      {"reversibility of a chain", R"(chain_reversibility = ["recoverable"])",
       ReversibilityCondition{ClassOf::chain, {Reversibility::recoverable}}},
      {"all day", R"(time = { zone = "UTC" })", TimeCondition{.zone = "UTC"}},
      {"a part of some days",
       R"(time = { days = ["mon", "sun"], from = "09:05", to = "24:00", zone = "UTC" })",
       TimeCondition{.days = 0x41, .from = 545, .to = 1440, .zone = "UTC"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const RuleConfig rule = load_rule("when = { " + std::string(row.entry) + " }");
    ASSERT_EQ(rule.when.facts.size(), 1U);
    EXPECT_EQ(rule.when.facts.front().fact, row.want);
    EXPECT_TRUE(rule.unless.empty());
  }
}

TEST(Conditions, HaveThePredicatesOfProfiles) {
  const RuleConfig rule =
      load_rule(R"(unless = { "/owner" = { one_of = ["acme"], optional = true } })");
  ASSERT_EQ(rule.unless.arguments.size(), 1U);
  EXPECT_EQ(rule.unless.arguments.front().pointer, "/owner");
  EXPECT_TRUE(rule.unless.arguments.front().optional);
  EXPECT_EQ(rule.unless.arguments.front().predicate, Predicate(OneOfPredicate{{R"("acme")"}}));
  EXPECT_EQ(load_rule("expires = 1970-01-02").expires, 86'400);
}

TEST(Conditions, BelongToWhatARuleIs) {
  const std::string_view lines[] = {"",
                                    R"(when = { transport = ["http"] })",
                                    R"(unless = { transport = ["http"] })",
                                    R"(when = { transport = ["stdio"] })",
                                    R"(when = { "/a" = { absent = true } })",
                                    "expires = 2030-01-01"};
  for (const std::string_view one : lines) {
    for (const std::string_view other : lines)
      EXPECT_EQ(is_same(load_rule(one), load_rule(other)), one == other) << one << other;
  }
}

TEST(Conditions, ThatSayNothingAreErrors) {
  const struct {
    std::string_view name;
    std::string text;
    std::string_view want;
  } rows[] = {
      {"nothing asked", with_line("when = {}"),
       "c.toml:8:8: error: \"when\" is empty; leave it out where the rule is to match always\n"},
      {"no such fact", with_line(R"(when = { transprot = ["http"] })"),
       "c.toml:8:10: error: \"transprot\" is neither a fact nor a pointer; did you mean "
       "\"transport\"?\n"},
      {"almost a pointer", with_line(R"(when = { owner = { one_of = ["acme"] } })"),
       "c.toml:8:10: error: \"owner\" is neither a fact nor a pointer; facts are "
       "\"chain_reversibility\", \"chain_risk\", \"client_address\", \"destructive\", "
       "\"endpoint\", \"idempotent\", \"method\", \"open_world\", \"read_only\", "
       "\"reversibility\", \"revision\", \"risk\", \"server_trust\", \"time\" or "
       "\"transport\"; a pointer into the arguments begins with /\n"},
      {"no predicate", with_line(R"(when = { "/a" = "acme" })"),
       "c.toml:8:17: error: \"/a\" must be a table, not a string\n"},
      {"two predicates", with_line(R"(when = { "/a" = { number = {}, absent = true } })"),
       "c.toml:8:28: error: an argument has one predicate, not both \"absent\" and \"number\"; "
       "another profile that matches the tool can have the other; both will hold\n"},
      {"arguments of a resource",
       with_line(R"(when = { "/a" = { absent = true } })", "permit", R"(resources = ["s:**"])"),
       "c.toml:8:10: error: only rules with \"tools\" can ask for arguments\n"},
      {"a hint of a resource",
       with_line("when = { read_only = true }", "permit", R"(resources = ["s:**"])"),
       "c.toml:8:10: error: only rules with \"tools\" can ask for \"read_only\"\n"},
      {"a hint that is neither", with_line("when = { read_only = 1 }"),
       "c.toml:8:22: error: \"read_only\" must be true or false, not an integer\n"},
      {"a value that is forced", with_line(R"(when = { "/a" = { fixed = 1 } })"),
       "c.toml:8:10: error: a rule changes no arguments, so \"fixed\" has no place in it; write it "
       "into a profile, [tool.\"SERVER/TOOL\".arguments]\n"},
      {"a text that is compacted",
       with_line(R"(unless = { "/a" = { text = { compact = true } } })"),
       "c.toml:8:12: error: a rule changes no arguments, so \"compact\" has no place in it; write "
       "it "
       "into a profile, [tool.\"SERVER/TOOL\".arguments]\n"},
      {"no such transport", with_line(R"(when = { transport = ["pigeon"] })"),
       "c.toml:8:23: error: \"transport\" can hold \"http\", \"stdio\", \"sse\", \"websocket\", "
       "\"tcp\" or \"unix\", not \"pigeon\"\n"},
      {"an empty list", with_line("when = { transport = [] }"),
       "c.toml:8:22: error: \"transport\" is empty\n"},
      {"no such method", with_line(R"(when = { method = ["tools/cal"] })"),
       "c.toml:8:20: error: \"tools/cal\" is not an MCP method\n"},
      {"no zone", with_line(R"(when = { time = { days = ["mon"] } })"),
       "c.toml:8:10: error: \"time\" needs a \"zone\"; zone = \"Europe/Berlin\"\n"},
      {"no time of day", with_line(R"(when = { time = { from = "9:00", zone = "UTC" } })"),
       "c.toml:8:26: error: \"from\" is not a time of day: \"9:00\"; write \"09:00\", from "
       "\"00:00\" "
       "to \"24:00\"\n"},
      {"no such time", with_line(R"(when = { time = { to = "24:01", zone = "UTC" } })"),
       "c.toml:8:24: error: \"to\" is not a time of day: \"24:01\"; write \"09:00\", from "
       "\"00:00\" "
       "to \"24:00\"\n"},
      {"a forbid that ends", with_line("expires = 2030-01-01", "forbid"),
       "c.toml:8:11: error: \"expires\" is for permits: a rule that refuses does not end by "
       "itself\n"},
      {"not a date", with_line("expires = \"2030-01-01\""),
       "c.toml:8:11: error: \"expires\" must be a date, not a string; write a date without quotes, "
       "such as 2027-01-31\n"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(all_text(load_config_text(row.text, "c.toml").problems), row.want);
  }
}

}  // namespace
}  // namespace bartizan
