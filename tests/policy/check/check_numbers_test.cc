#include "policy/check/check_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "policy/check/compile_policy.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kStart = R"(version = 1
[audit]
file = "audit.jsonl"
[server.files]
command = ["/bin/true"]
[role.analyst]
trust = "verified"
[principal.ann]
roles = ["analyst"]
[rule.all]
effect = "permit"
roles = ["analyst"]
tools = ["files/*"]
)";

struct Told {
  Reason reason = Reason::none;
  std::string check, pointer;
};

/// What a policy makes of a call of `files/read_text` with that schema.
Told judge(std::string_view toml, std::string_view schema, std::string_view arguments) {
  const LoadedConfig loaded = load_config_text(std::string(kStart).append(toml), "test.toml");
  for (const ConfigProblem& problem : loaded.problems)
    EXPECT_NE(problem.severity, ConfigProblem::Severity::error) << text(problem);
  const ToolDefinition tool = sample_tool(schema);
  const auto policy = compile_policy(loaded.config, sample_names());
  const auto sample = sample_tool_call("files", "read_text", arguments);
  sample->call.principal = policy->find_principal("ann").get();
  sample->call.facts.tool = &tool;
  const Verdict verdict = policy->judge(sample->call);
  const auto* denial = std::get_if<Denial>(&verdict);
  if (denial == nullptr) return {};
  return {denial->decision.reason, std::string(denial->check), denial->decision.pointer};
}

TEST(CheckNumbers, RefusesWhatOnlyOneReadingLetsPass) {
  const std::string any = R"({"type":"object","properties":{"n":{},"m":{}}})";
  const std::string forbids_42 =
      "[rule.no]\neffect = \"forbid\"\nroles = [\"*\"]\ntools = [\"files/*\"]\n"
      "when = { \"/n\" = { one_of = [42] } }\n";
  const std::string forbids_0 =
      "[rule.no]\neffect = \"forbid\"\nroles = [\"*\"]\ntools = [\"files/*\"]\n"
      "when = { \"/n\" = { one_of = [0] } }\n";
  const std::string up_to_10 = "[tool.\"files/*\".arguments]\n\"/n\" = { number = { max = 10 } }\n";
  const auto schema = [](std::string_view of_n) {
    return R"({"type":"object","properties":{"n":)" + std::string(of_n) + "}}";
  };
  using enum Reason;
  const struct {
    std::string_view name, toml;
    std::string schema, arguments;
    Reason want;
  } cases[] = {
      {"what is forbidden", forbids_42, any, R"({"n":42})", forbidden},
      {"spelled otherwise", forbids_42, any, R"({"n":4.2e1})", forbidden},
      {"what programs round to it", forbids_42, any, R"({"n":42.0000000000000000000001})",
       argument_undecidable},
      {"what they do not", forbids_42, any, R"({"n":42.00000000001})", none},
      {"nearer to zero than doubles", forbids_0, any, R"({"n":1e-400})", argument_undecidable},
      {"a small double", forbids_0, any, R"({"n":1e-300})", none},
      {"a number that nobody looks at", forbids_42, any, R"({"n":1,"m":0.30000000000000000001})",
       none},
      {"tenths", up_to_10, any, R"({"n":0.1})", none},
      {"a price", up_to_10, any, R"({"n":9.99})", none},
      {"a ten-millionth", up_to_10, any, R"({"n":1e-7})", none},
      {"rounded into a range", up_to_10, any, R"({"n":10.0000000000000000001})",
       argument_not_allowed},
      {"rounded out of a range",
       "[tool.\"files/*\".arguments]\n\"/n\" = { number = { max = 0.3 } }\n", any,
       R"({"n":0.29999999999999999})", none},
      {"a constant", "", schema(R"({"const":42})"), R"({"n":42})", none},
      {"rounded to a constant that is refused", "", schema(R"({"not":{"const":42}})"),
       R"({"n":42.0000000000000000000001})", argument_undecidable},
      {"rounded to one of several that are refused", "", schema(R"({"not":{"enum":[7,42]}})"),
       R"({"n":42.0000000000000000000001})", argument_undecidable},
      {"below a bound until it is rounded", "", schema(R"({"exclusiveMaximum":1})"),
       R"({"n":0.99999999999999999999})", argument_undecidable},
      {"below a bound", "", schema(R"({"exclusiveMaximum":1})"), R"({"n":0.999999})", none},
      {"unique until they are rounded", "", schema(R"({"uniqueItems":true})"),
       R"({"n":[1.0,1.00000000000000000001]})", argument_undecidable},
      {"unique", "", schema(R"({"uniqueItems":true})"), R"({"n":[1.0,1.5]})", none},
      {"an integer of more digits than a double has", "", schema(R"({"type":"integer"})"),
       R"({"n":9007199254740993})", none},
      {"the same with a fraction", "", schema(R"({"maximum":9007199254740993,
       "exclusiveMinimum":9007199254740992})"),
       R"({"n":9007199254740993.0})", argument_undecidable},
      {"an integer beyond 64 bits that nobody looks at", forbids_42, any,
       R"({"n":1,"m":100000000000000000000001})", none},
      {"one that is looked at and is far from what is forbidden", forbids_42, any,
       R"({"n":100000000000000000000001})", none},
      {"one that is too large", up_to_10, any, R"({"n":100000000000000000000001})",
       argument_not_allowed},
      {"an integer beyond 64 bits where the schema wants one", "", schema(R"({"type":"integer"})"),
       R"({"n":100000000000000000000001})", none},
      {"what programs round to a constant that is refused", "",
       schema(R"({"not":{"const":100000000000000000000}})"), R"({"n":100000000000000000001})",
       argument_undecidable},
      {"the constant itself", "", schema(R"({"not":{"const":100000000000000000000}})"),
       R"({"n":100000000000000000000})", arguments_invalid},
      {"a neighbour that programs tell from it", "",
       schema(R"({"not":{"const":100000000000000000000}})"), R"({"n":100000000000000020000})",
       none},
      {"what is a multiple until it is rounded", "", schema(R"({"multipleOf":3})"),
       R"({"n":100000000000000000000002})", argument_undecidable},
      {"a multiple in both readings", "", schema(R"({"multipleOf":2})"),
       R"({"n":100000000000000000000002})", none},
      {"within a bound that only exact readers see", "",
       schema(R"({"maximum":18446744073709551616})"), R"({"n":18446744073709551617})",
       arguments_invalid},
      {"below it until it is rounded", "", schema(R"({"exclusiveMaximum":36893488147419103232})"),
       R"({"n":36893488147419103231})", argument_undecidable},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Told told = judge(c.toml, c.schema, c.arguments);
    EXPECT_EQ(told.reason, c.want);
    if (c.want == argument_undecidable) EXPECT_EQ(told.check, "numbers");
  }
}

TEST(CheckNumbers, NamesTheFirstNumberThatHasTwoReadings) {
  const std::string schema = R"({"type":"object","properties":{"a":{"items":{"properties":)"
                             R"({"b":{"exclusiveMaximum":1}}}}}})";
  const Told told =
      judge("", schema, R"({"a":[{"b":0.5},{"x":"1.0","b":0.99999999999999999999}]})");
  EXPECT_EQ(told.reason, Reason::argument_undecidable);
  EXPECT_EQ(told.pointer, "/a/1/b");
}

}  // namespace
}  // namespace bartizan
