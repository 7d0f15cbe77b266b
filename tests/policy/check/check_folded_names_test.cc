#include "policy/check/check_folded_names.h"

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
[role.analyst]
trust = "verified"
[principal.ann]
roles = ["analyst"]
[rule.prompts]
effect = "permit"
roles = ["analyst"]
prompts = ["files/*"]
[server.files]
command = ["/bin/true"]
)";

constexpr std::string_view kAll = R"([rule.all]
effect = "permit"
roles = ["analyst"]
tools = ["files/*"]
)";

struct Told {
  Reason reason = Reason::none;
  std::string check, pointer;
};

std::shared_ptr<const Policy> policy_of(std::string_view toml) {
  const LoadedConfig loaded = load_config_text(std::string(kStart).append(toml), "test.toml");
  for (const ConfigProblem& problem : loaded.problems)
    EXPECT_NE(problem.severity, ConfigProblem::Severity::error) << text(problem);
  return compile_policy(loaded.config, sample_names());
}

Told told_of(const Policy& policy, SampleCall& sample) {
  sample.call.principal = policy.find_principal("ann").get();
  const Verdict verdict = policy.judge(sample.call);
  const auto* denial = std::get_if<Denial>(&verdict);
  if (denial == nullptr) return {};
  return {denial->decision.reason, std::string(denial->check), denial->decision.pointer};
}

/// What a policy makes of a call of `files/read_text` with that schema.
Told judge(std::string_view toml, std::string_view schema, std::string_view arguments) {
  const auto policy = policy_of(toml);
  const ToolDefinition tool = sample_tool(schema);
  const auto sample = sample_tool_call("files", "read_text", arguments);
  sample->call.facts.tool = &tool;
  return told_of(*policy, *sample);
}

TEST(CheckFoldedNames, RefusesArgumentsThatPassForOthers) {
  const std::string all(kAll);
  const std::string acme =
      "[rule.acme]\neffect = \"permit\"\nroles = [\"analyst\"]\ntools = [\"files/*\"]\n"
      "when = { \"/owner\" = { one_of = [\"acme\"] } }\n";
  const std::string no_force =
      all +
      "[rule.no]\neffect = \"forbid\"\nroles = [\"*\"]\ntools = [\"files/*\"]\n"
      "when = { \"/force\" = { one_of = [true], optional = true } }\n";
  const std::string absent = all + "[tool.\"files/*\".arguments]\n\"/force\" = { absent = true }\n";
  const std::string nested =
      all + "[tool.\"files/*\".arguments]\n\"/in/*/force\" = { absent = true }\n";
  const std::string forced = all +
                             "[policy]\nunguarded_arguments = \"allow\"\n"
                             "[tool.\"files/*\".arguments]\n\"/dry_run\" = { fixed = true }\n";
  const std::string overlay =
      all + "[tool.\"files/*\"]\nschema = { properties = { team = { type = \"string\" } } }\n";
  const std::string forward = "folded_names = \"forward\"\n";
  const std::string owner =
      R"({"type":"object","properties":{"owner":{"type":"string"},"force":{"type":"boolean"}}})";
  const std::string both = R"({"type":"object","properties":{"owner":{},"Owner":{}}})";
  const std::string open = R"({"type":"object"})";
  const std::string deep =
      R"({"type":"object","properties":{"in":{"type":"array","items":{"properties":{"id":{}}}}}})";
  using enum Reason;
  const struct {
    std::string_view name;
    std::string toml, schema, arguments;
    Reason want;
    std::string_view pointer;
  } cases[] = {
      {"what is permitted", acme, owner, R"({"owner":"acme"})", none, ""},
      {"another owner", acme, owner, R"({"owner":"evil"})", no_matching_rule, ""},
      {"another owner beside it", acme, owner, R"({"owner":"acme","Owner":"evil"})",
       no_matching_rule, ""},
      {"another owner before it", acme, owner, R"({"OWNER":"evil","owner":"acme"})",
       no_matching_rule, ""},
      {"what is forbidden", no_force, owner, R"({"force":true})", forbidden, ""},
      {"the same in another case", no_force, owner, R"({"Force":true})", forbidden, ""},
      {"the same, escaped", no_force, owner, R"({"\u0046orce":true})", forbidden, ""},
      {"the same where any name may be", no_force,
       R"({"type":"object","additionalProperties":{"type":"boolean"}})", R"({"Force":true})",
       forbidden, ""},
      {"no such where any name may be", no_force,
       R"({"type":"object","additionalProperties":{"type":"boolean"}})", R"({"Forces":true})", none,
       ""},
      {"what is permitted, and in another case, both declared", acme, both,
       R"({"owner":"acme","Owner":"evil"})", none, ""},
      {"another name", no_force, owner, R"({"forces":true,"for_ce":1})", none, ""},
      {"what must be absent", absent, open, R"({"force":1})", argument_not_absent, "/force"},
      {"the same in another case, undeclared", absent, open, R"({"forCe":1})", ambiguous_member,
       "/forCe"},
      {"declared in another case than the predicate has", absent,
       R"({"type":"object","properties":{"Force":{}}})", R"({"Force":1})", ambiguous_member,
       "/Force"},
      {"below what must be absent there", nested, open, R"({"in":[{"a":1},{"Force":1}]})",
       ambiguous_member, "/in/1/Force"},
      {"on the way to it", nested, open, R"({"In":[{"force":1}]})", ambiguous_member, "/In"},
      {"elsewhere", nested, open, R"({"Force":1,"out":{"FORCE":1}})", none, ""},
      {"a value that is forced", forced, open, R"({"dry_run":true,"Dry_Run":false})",
       ambiguous_member, "/Dry_Run"},
      {"a schema of policy", overlay, open, R"({"Team":"x"})", ambiguous_member, "/Team"},
      {"declared below", all, deep, R"({"in":[{"id":1},{"ID":2}]})", ambiguous_member, "/in/1/ID"},
      {"of another place", all, deep, R"({"in":[{"In":1}],"ID":2})", none, ""},
      {"both declared", all, both, R"({"owner":1,"Owner":2})", none, ""},
      {"both declared, and a predicate for one",
       all + "[tool.\"files/*\".arguments]\n"
             "\"/owner\" = { one_of = [1] }\n\"/Owner\" = { one_of = [2] }\n",
       both, R"({"owner":1,"Owner":2})", none, ""},
      {"a third beside two that are declared", all, both, R"({"owner":1,"OWNER":2})",
       ambiguous_member, "/OWNER"},
      {"two in free data", all, open, R"({"map":{"K":1,"k":2}})", ambiguous_member, "/map/k"},
      {"two in free data by Kelvin's sign", all, open, R"({"map":{"k":1,"\u212a":2}})",
       ambiguous_member, "/map/\u212a"},
      {"two in free data that differ", all, open, R"({"map":{"K":1,"k2":2},"M":{"K":1}})", none,
       ""},
      {"two in free data, forwarded", forward + all, open, R"({"map":{"K":1,"k":2}})", none, ""},
      {"two of which one is declared, forwarded", forward + all, owner,
       R"({"owner":"a","Owner":"b"})", ambiguous_member, "/Owner"},
      {"two of which one must be absent, forwarded", forward + absent, open, R"({"FORCE":1})",
       ambiguous_member, "/FORCE"},
      {"no arguments", all, owner, "", none, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Told told = judge(c.toml, c.schema, c.arguments);
    EXPECT_EQ(told.reason, c.want);
    if (c.want == ambiguous_member) {
      EXPECT_EQ(told.check, "names");
      EXPECT_EQ(told.pointer, c.pointer);
    }
  }
}

TEST(CheckFoldedNames, RefusesPairsInEveryMessageOfClients) {
  const auto judge_text = [](std::string_view message, std::string_view toml, TargetKind kind) {
    const auto policy = policy_of(toml);
    SampleCall sample(message);
    sample.call.server = "files";
    sample.call.target_kind = kind;
    sample.call.target = "p";
    sample.call.facts.names_own_pending_request = true;
    return told_of(*policy, sample).reason;
  };
  constexpr std::string_view kForward = "folded_names = \"forward\"\n";
  using enum Reason;
  const struct {
    std::string_view name, message;
    TargetKind kind;
    Reason want;
  } cases[] = {
      {"a prompt's arguments",
       R"({"jsonrpc":"2.0","id":1,"method":"prompts/get",
           "params":{"name":"p","arguments":{"City":"a","city":"b"}}})",
       TargetKind::prompt, ambiguous_member},
      {"a prompt's arguments that differ",
       R"({"jsonrpc":"2.0","id":1,"method":"prompts/get",
           "params":{"name":"p","arguments":{"City":"a","town":"b"}}})",
       TargetKind::prompt, none},
      {"metadata",
       R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":{"A":1,"a":2}}}})",
       TargetKind::none, ambiguous_member},
      {"an answer's content",
       R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"Pay":1,"pay":2}}})",
       TargetKind::none, ambiguous_member},
      {"an answer's content without such",
       R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"Pay":1,"Action":2}}})",
       TargetKind::none, none},
      {"an error's data",
       R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"A":1,"a":2}}})",
       TargetKind::none, ambiguous_member},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge_text(c.message, kAll, c.kind), c.want);
    EXPECT_EQ(judge_text(c.message, std::string(kForward).append(kAll), c.kind), none);
  }
}

/// A call of many names that are declared in two cases is refused and not looked at for ever.
TEST(CheckFoldedNames, LooksAtSoManyDeclaredPairsOnly) {
  const std::string schema =
      R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"object",
          "properties":{"id":{},"ID":{}}}}}})";
  const auto arguments = [](int pairs) {
    std::string text = R"({"l":[{})";
    for (int i = 0; i < pairs; ++i)
      text += R"(,{"id":1,"ID":2})";
    return text + "]}";
  };
  EXPECT_EQ(judge(kAll, schema, arguments(10)).reason, Reason::none);
  EXPECT_EQ(judge(kAll, schema, arguments(100)).reason, Reason::ambiguous_member);
}

}  // namespace
}  // namespace bartizan
