#include "policy/check/compile_policy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tests/checkout.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;
using std::chrono::milliseconds;

static_assert(!std::is_copy_constructible_v<Policy>);
static_assert(!std::is_move_constructible_v<Policy>);

Config demo_config() {
  Config config = sample_config();
  add_rule(config, sample_rule("read", permit, {"analyst"}, {"files/*"}));
  add_rule(config, sample_rule("no-write", forbid, {"*"}, {"files/write"}));
  ToolProfile profile;
  profile.pattern = "files/*";
  profile.permissions = {"read:filesystem"};
  profile.timeout = milliseconds(5000);
  ArgumentPredicate path;
  path.pointer = "/path";
  path.predicate = PathPredicate{"docs"};
  path.optional = true;
  profile.arguments = {path};
  config.tools = {profile};
  return config;
}

struct Outcome {
  Reason reason;
  std::string check;
  std::string rule;
  std::size_t observed;
};

/// Judges a call of `server/tool` with a definition that exists, unless `tool` begins with `no_`.
Outcome judge(const Config& config, std::string_view principal, std::string_view tool,
              std::string_view arguments, std::int64_t now = 0) {
  const ToolDefinition definition = sample_tool();
  const auto policy = compile_policy(config, sample_names());
  const auto sample = sample_tool_call("files", tool, arguments);
  sample->call.principal = policy->find_principal(principal).get();
  sample->call.facts.tool = tool.starts_with("no_") ? nullptr : &definition;
  sample->call.facts.now = now;
  const Verdict verdict = policy->judge(sample->call);
  if (const auto* permit = std::get_if<Permit>(&verdict)) {
    const RuleInfo* rule = permit->rule();
    return {Reason::none, "", rule == nullptr ? "" : rule->name, permit->observed().size()};
  }
  const auto& denial = std::get<Denial>(verdict);
  return {denial.decision.reason, std::string(denial.check),
          std::string(denial.decision.rule_name()), denial.observed.size()};
}

void expect(const Outcome& have, Reason reason, std::string_view check, std::string_view rule,
            std::size_t observed = 0) {
  EXPECT_EQ(have.reason, reason);
  EXPECT_EQ(have.check, check);
  EXPECT_EQ(have.rule, rule);
  EXPECT_EQ(have.observed, observed);
}

/// The names that the comment of `make_checks` lists: of `// 3. `features`  …` the word in quotes.
std::vector<std::string> documented_checks() {
  std::ifstream header(project_file("policy/check/compile_policy.cc"));
  std::vector<std::string> names;
  for (std::string line; std::getline(header, line);) {
    const std::string begin = "// " + std::to_string(names.size() + 1) + ". `";
    if (!line.starts_with(begin)) continue;
    names.push_back(line.substr(begin.size(), line.find('`', begin.size()) - begin.size()));
  }
  return names;
}

TEST(Policy, AsksTheChecksInTheOrderThatItsCommentHas) {
  const auto policy = compile_policy(demo_config(), sample_names());
  const auto asked = policy->check_names();
  EXPECT_EQ(documented_checks(), std::vector<std::string>(asked.begin(), asked.end()));
}

TEST(Policy, JudgesTheDemonstration) {
  const Config config = demo_config();
  expect(judge(config, "ann", "read_text", R"({"path":"notes.md"})"), Reason::none, "", "read");
  expect(judge(config, "ann", "read_text", R"({"path":"../../etc/passwd"})"),
         Reason::path_outside_root, "arguments", "");
  expect(judge(config, "ann", "write", R"({"path":"notes.md"})"), Reason::forbidden, "access",
         "no-write");
  expect(judge(config, "dan", "read_text", "{}"), Reason::no_matching_rule, "access", "");
  expect(judge(config, "nobody", "read_text", "{}"), Reason::internal, "access", "");
}

// Policy decides before existence: who has no rule learns nothing about what is there.
TEST(Policy, DecidesBeforeExistence) {
  const Config config = demo_config();
  expect(judge(config, "dan", "read_text", "{}"), Reason::no_matching_rule, "access", "");
  expect(judge(config, "dan", "no_such", "{}"), Reason::no_matching_rule, "access", "");
  expect(judge(config, "ann", "no_such", "{}"), Reason::tool_unknown, "existence", "");
}

TEST(Policy, HeadersOfAToolTellNothingToWhoHasNoRule) {
  ToolDefinition definition = sample_tool();
  definition.mirrored = {{"Path", "/path"}};
  const MirroredHeaders headers{.protocol_version = "2026-07-28",
                                .method = "tools/call",
                                .name = "files_read_text",
                                .params = {}};
  const std::string text =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files_read_text",)"
      R"("arguments":{"path":"a"},)"
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
  const auto policy = compile_policy(demo_config(), sample_names());
  const auto reason = [&](std::string_view principal) {
    SampleCall sample(text);
    sample.call.era = Era::modern;
    sample.call.version = ProtocolVersion::v2026_07_28;
    sample.call.headers = &headers;
    sample.call.server = "files";
    sample.call.target = "read_text";
    sample.call.target_kind = TargetKind::tool;
    sample.call.principal = policy->find_principal(principal).get();
    sample.call.facts.tool = &definition;
    return std::get<Denial>(policy->judge(sample.call)).decision.reason;
  };
  EXPECT_EQ(reason("ann"), Reason::header_mismatch);
  EXPECT_EQ(reason("dan"), Reason::no_matching_rule);
}

TEST(Policy, ObservesUntilItsDate) {
  Config config = demo_config();
  config.policy.mode = PolicySettings::Mode::observe;
  config.policy.until = 1000;
  // Rules, permissions and predicates yield …
  expect(judge(config, "dan", "read_text", R"({"path":"/etc"})", 999), Reason::none, "", "", 3);
  expect(judge(config, "ann", "write", R"({"path":"a"})", 999), Reason::none, "", "", 1);
  expect(judge(config, "ann", "read_text", R"({"path":"/etc"})", 999), Reason::none, "", "read", 1);
  // … and nothing else does.
  expect(judge(config, "ann", "no_such", "{}", 999), Reason::tool_unknown, "existence", "");
  // From the date on, everything enforces.
  expect(judge(config, "ann", "write", R"({"path":"a"})", 1000), Reason::forbidden, "access",
         "no-write");
  config.policy.until.reset();
  expect(judge(config, "ann", "write", R"({"path":"a"})", 0), Reason::forbidden, "access",
         "no-write");
}

TEST(Policy, ObservedRulesAreRecorded) {
  Config config = demo_config();
  config.rules["no-write"].observe = true;
  expect(judge(config, "ann", "write", R"({"path":"a"})"), Reason::none, "", "read", 1);
  expect(judge(config, "ann", "read_text", R"({"path":"a"})"), Reason::none, "", "read", 0);
  expect(judge(config, "dan", "write", "{}"), Reason::no_matching_rule, "access", "", 1);
}

TEST(Policy, ThePermitKeepsThePolicyAlive) {
  auto policy = compile_policy(demo_config(), sample_names());
  const std::weak_ptr<const Policy> watch = policy;
  const ToolDefinition definition = sample_tool();
  const auto sample = sample_tool_call("files", "read_text", R"({"path":"a"})");
  sample->call.principal = policy->find_principal("ann").get();
  sample->call.facts.tool = &definition;
  {
    const Verdict verdict = policy->judge(sample->call);
    policy.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(std::get<Permit>(verdict).rule()->name, "read");
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Policy, ShowsWhatMayBeCalled) {
  Config config = demo_config();
  add_rule(config, sample_rule("ask", require_approval, {"*"}, {"files/read_bytes"}));
  const auto policy = compile_policy(config, sample_names());
  const auto shows = [&](std::string_view principal, std::string_view tool,
                         std::int64_t now = 100) {
    return policy->shows(*policy->find_principal(principal), TargetKind::tool, "files", tool,
                         any_call_at(now, std::nullopt));
  };
  EXPECT_TRUE(shows("ann", "read_text"));
  EXPECT_TRUE(shows("ann", "read_bytes"));
  EXPECT_FALSE(shows("ann", "write"));
  EXPECT_FALSE(shows("dan", "read_text"));
  EXPECT_FALSE(shows("dan", "read_bytes"));
  EXPECT_FALSE(shows("ann", "write", 0));
  config.policy.mode = PolicySettings::Mode::observe;
  config.policy.until = 10;
  const auto observing = compile_policy(config, sample_names());
  const Principal& ann = *observing->find_principal("ann");
  EXPECT_TRUE(
      observing->shows(ann, TargetKind::tool, "files", "write", any_call_at(9, std::nullopt)));
  EXPECT_FALSE(
      observing->shows(ann, TargetKind::tool, "files", "write", any_call_at(10, std::nullopt)));
}

TEST(Policy, TimeoutsPrincipalsAndDigest) {
  Config config = demo_config();
  config.servers["files"].timeout = milliseconds(7000);
  ToolProfile shorter;
  shorter.pattern = "files/write";
  shorter.timeout = milliseconds(1000);
  config.tools.push_back(shorter);
  const auto policy = compile_policy(config, sample_names());
  EXPECT_EQ(policy->timeout("files", TargetKind::tool, "read_text"), milliseconds(5000));
  EXPECT_EQ(policy->timeout("files", TargetKind::tool, "write"), milliseconds(1000));
  EXPECT_EQ(policy->timeout("files", TargetKind::tool, "new"), milliseconds(5000));
  EXPECT_EQ(policy->timeout("files", TargetKind::resource, "a:b"), milliseconds(7000));
  EXPECT_EQ(policy->timeout("ghost", TargetKind::none, ""), milliseconds(60'000));
  EXPECT_EQ(policy->find_principal("nobody"), nullptr);
  EXPECT_EQ(policy->find_principal("ann")->id, "ann");
  EXPECT_EQ(policy->digest(), "d1");
}

TEST(Policy, PassesTheOwnersAnswersOnly) {
  const auto policy = compile_policy(demo_config(), sample_names());
  SampleCall answer(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  answer.call.principal = policy->find_principal("ann").get();
  const Verdict refused = policy->judge(answer.call);
  EXPECT_EQ(std::get<Denial>(refused).decision.reason, Reason::not_pending);
  answer.call.facts.names_own_pending_request = true;
  EXPECT_TRUE(std::holds_alternative<Permit>(policy->judge(answer.call)));
}

}  // namespace
}  // namespace bartizan
