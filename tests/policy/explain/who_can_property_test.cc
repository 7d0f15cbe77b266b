// Holds who may call a tool against calls of it: random policies, random calls.

#include "policy/explain/who_can.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "policy/explain/pinned_definitions.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using Can = WhoCanAnswer::Can;
using Caller = WhoCanAnswer::Caller;
/// Values by the names of arguments, as JSON.
using Arguments = std::map<std::string, std::string>;
using enum Effect;

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::uint32_t kWeek = 7 * 86'400;

std::string json(const Arguments& arguments) {
  std::string text;
  for (const auto& [name, value] : arguments) {
    text += text.empty() ? "\"" : ",\"";
    text.append(name).append("\":").append(value);
  }
  return "{" + text + "}";
}

/// Makes small policies with all that bears on a call of a tool, and calls under them.
class RandomQuestions {
 public:
  explicit RandomQuestions(std::uint32_t seed) : random_(seed) {}

  /// `varied`: what differs from call to call beside the arguments may bear on it.
  Config make(bool varied) {
    varied_ = varied;
    Config config;
    config.servers["files"] = {.name = "files", .trust = one({Trust::untrusted, Trust::system})};
    for (const std::string role : {"r0", "r1", "r2"})
      config.roles[role] = {.name = role, .permissions = some({"a:x", "a:*", "b:y"})};
    for (const std::string id : {"p0", "p1", "p2", "p3"})
      config.principals[id] = {.id = id, .roles = some({"r0", "r1", "r2"})};
    for (const std::string name : {"k0", "k1", "k2", "k3", "k4", "k5"}) {
      if (draw(5) > 0) config.rules[name] = make_rule(name);
    }
    if (draw(2) == 0) config.tools.push_back(make_profile("files/*"));
    if (draw(2) == 0) config.tools.push_back(make_profile("files/read"));
    if (draw(3) == 0) pin(config);
    if (varied && draw(3) == 0) {
      config.endpoints["desk"] = {.name = "desk", .path = "/desk"};
      config.endpoints["hall"] = {.name = "hall", .path = "/hall", .tools = {"files/read"}};
    }
    if (varied && draw(6) == 0) {
      config.policy.mode = PolicySettings::Mode::observe;
      config.policy.until = kNow + std::int64_t{1'000} * draw(3);
    }
    config.policy.allow_unguarded_arguments = draw(3) == 0;
    return config;
  }

  Arguments arguments() {
    Arguments all;
    if (draw(3) > 0) all["x"] = one<std::string>({"1", "4", "9", "\"s\""});
    if (draw(3) > 0) all["y"] = one<std::string>({"\"a\"", "\"b\"", "true"});
    return all;
  }
  Arguments some_of(const Arguments& all) {
    Arguments some;
    for (const auto& argument : all) {
      if (draw(2) == 0) some.insert(argument);
    }
    return some;
  }
  DescribedFacts facts(const Config& config) {
    DescribedFacts facts{.time = kNow + draw(kWeek)};
    if (draw(8) > 0) facts.transport = one({Transport::http, Transport::stdio});
    if (facts.transport == Transport::http) {
      facts.endpoint = config.endpoints.empty() ? "" : one<std::string>({"desk", "hall"});
      facts.client_address = one<std::string>({"10.0.0.7", "192.0.2.1"});
    }
    facts.revision = one({ProtocolVersion::v2025_11_25, ProtocolVersion::v2025_06_18});
    facts.approved_by = some({"p0", "p1"});
    return facts;
  }
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

 private:
  RuleConfig make_rule(const std::string& name) {
    const bool is_of_method = draw(12) == 0;
    RuleConfig rule = sample_rule(name, draw(5) < 3 ? permit : forbid, some({"r0", "r1", "r2"}),
                                  is_of_method ? std::vector<std::string>{"tools/*"}
                                               : some({"files/read", "files/*", "files/w*"}),
                                  is_of_method ? RuleTarget::methods : RuleTarget::tools);
    if (is_of_method) rule.effect = forbid;
    if (rule.patterns.empty()) rule.patterns = {"files/rea*"};
    if (draw(4) == 0) rule.roles = {"*"};
    if (rule.roles.empty()) rule.principals = {one<std::string>({"p0", "p1", "p2"})};
    if (!is_of_method) add_argument(rule.when);
    if (!is_of_method) add_argument(rule.unless);
    if (draw(6) == 0) rule.when.facts.push_back({.fact = ServerTrustCondition{{Trust::system}}});
    rule.observe = rule.effect != permit && draw(6) == 0;
    if (!varied_) return rule;
    if (draw(3) == 0) rule.when.facts.push_back(condition());
    if (draw(3) == 0) rule.unless.facts.push_back(condition());
    if (rule.effect == permit && draw(5) == 0) rule.expires = kNow + std::int64_t{1'000} * draw(3);
    if (rule.effect == forbid && !is_of_method && draw(3) == 0) {
      rule.effect = require_approval;
      rule.approval = {.approvers = some({"r0", "r1"}), .self_approval = draw(2) == 0};
    }
    return rule;
  }
  void add_argument(RuleConditions& conditions) {
    if (draw(3) > 0) return;
    conditions.arguments.push_back(predicate(draw(2) == 0 ? "/x" : "/y"));
  }
  ArgumentPredicate predicate(const std::string& pointer) {
    ArgumentPredicate predicate{.pointer = pointer, .optional = draw(2) == 0};
    if (pointer == "/x") {
      predicate.predicate = NumberPredicate{one<std::string>({"1", "2"}), "5"};
    } else {
      predicate.predicate = OneOfPredicate{some({"\"a\"", "\"b\"", "true"})};
    }
    if (draw(8) == 0) {
      predicate.predicate = AbsentPredicate{};
      predicate.optional = false;
    }
    return predicate;
  }
  ToolProfile make_profile(const std::string& pattern) {
    ToolProfile profile{.pattern = pattern, .permissions = some({"a:x", "b:y"})};
    if (draw(2) == 0) profile.arguments.push_back(predicate("/x"));
    if (draw(2) == 0) profile.arguments.push_back(predicate("/y"));
    if (draw(6) == 0) profile.schema = R"({"properties":{"x":{"type":"integer"}}})";
    return profile;
  }
  FactCondition condition() {
    switch (draw(5)) {
      case 0:
        return {.fact = TransportCondition{{Transport::http}}};
      case 1:
        return {.fact = EndpointCondition{{one<std::string>({"desk", "hall"})}}};
      case 2:
        return {.fact = AddressCondition{{"10.0.0.0/8"}}};
      case 3:
        return {.fact = RevisionCondition{{ProtocolVersion::v2025_06_18}}};
      default:
        return {.fact = TimeCondition{.days = 0x1f, .from = 8 * 60, .to = 20 * 60, .zone = "UTC"}};
    }
  }
  void pin(Config& config) {
    const std::string entry =
        R"({"name":"read","inputSchema":{"type":"object","properties":{"x":)" +
        one<std::string>({"{}", R"({"type":"integer"})", R"({"enum":[1,9]})", R"({"const":4})",
                          R"({"enum":["s",9.0]})"}) +
        R"(,"y":)" + one<std::string>({"{}", R"({"enum":["a",true]})", R"({"type":"string"})"}) +
        R"(},"required":)" + one<std::string>({R"(["x"])", R"(["x","y"])", R"(["y","z"])"}) + "}}";
    const auto definition = read_listed_tool(entry, {});
    config.pins.tools["files"]["read"] = {
        .fingerprint = definition->fingerprint, .definition = entry, .is_approved = true};
  }
  template <class Value>
  Value one(std::initializer_list<Value> of) {
    return *(of.begin() + draw(static_cast<std::uint32_t>(of.size())));
  }
  std::vector<std::string> some(std::vector<std::string> of) {
    std::erase_if(of, [this](const std::string&) { return draw(2) == 0; });
    return of;
  }

  std::mt19937 random_;
  bool varied_ = true;
};

/// The calls of a question, judged by the policy as it is.
class RealCalls {
 public:
  RealCalls(const Config& config, const std::string& tool)
      : policy_(compile_policy(with_callers(config, roles_of(config)), {})),
        definitions_(config, none_),
        tool_(tool) {}

  Decision judge(const WhoCanAnswer& caller, const Arguments& arguments,
                 const DescribedFacts& facts) {
    DescribedCall call{.target_kind = TargetKind::tool,
                       .server = "files",
                       .target = tool_,
                       .method = "tools/call",
                       .arguments = json(arguments),
                       .facts = facts};
    if (caller.caller == Caller::principal) call.principal = caller.name;
    if (caller.caller == Caller::role) call.roles = {caller.name};
    const auto made = CaseCall::make(call, *policy_, definitions_.find(call), kNow);
    return answer_of(policy_->judge((*made)->call())).decision;
  }

 private:
  static std::vector<PolicyCase> roles_of(const Config& config) {
    std::vector<PolicyCase> cases(1);
    for (const auto& [name, role] : config.roles)
      cases.push_back({.call = {.roles = {name}}});
    return cases;
  }

  const DescribedDefinitions none_ = {};
  std::shared_ptr<const Policy> policy_;
  Definitions definitions_;
  std::string tool_;
};

WhoCan ask(const Config& config, const std::string& tool, const Arguments& given) {
  auto asked =
      who_can(config, {.server = "files", .tool = tool, .arguments = json(given), .now = kNow});
  EXPECT_TRUE(asked.has_value());
  return asked.value_or(WhoCan());
}

bool has_predicates(const Config& config) {
  return std::ranges::any_of(config.tools,
                             [](const ToolProfile& profile) { return !profile.arguments.empty(); });
}

struct Witnesses {
  std::size_t permitted = 0, refused = 0;
};

// No call is permitted to whom it never is, and none refused to whom it always is.
TEST(WhoCanProperty, HoldsForEveryCall) {
  std::map<Can, std::size_t> answers;
  std::size_t evaluations = 0;
  std::size_t open = 0;
  std::size_t shown = 0;
  std::vector<std::uint32_t> seeds(300);
  std::iota(seeds.begin(), seeds.end(), 0U);
  seeds.push_back(2239);  // A refusal that misses by a fact that is not open.
  for (const std::uint32_t seed : seeds) {
    SCOPED_TRACE(seed);
    RandomQuestions random(seed);
    const Config config = random.make(true);
    const std::string tool = random.draw(2) == 0 ? "read" : "write";
    const Arguments given = random.some_of(random.arguments());
    const WhoCan who = ask(config, tool, given);
    RealCalls calls(config, tool);
    std::vector<Witnesses> witnesses(who.answers.size());
    for (int i = 0; i < 12; ++i) {
      Arguments all = given;
      const Arguments others = random.arguments();
      all.insert(others.begin(), others.end());
      const DescribedFacts facts = random.facts(config);
      const bool has_others = all.size() > given.size() && has_predicates(config);
      for (std::size_t j = 0; j < who.answers.size(); ++j) {
        const WhoCanAnswer& answer = who.answers[j];
        const Decision decision = calls.judge(answer, all, facts);
        ++evaluations;
        ++(decision.permits() ? witnesses[j].permitted : witnesses[j].refused);
        const std::string call = answer.name + " " + tool + json(all) + " given " + json(given);
        if (answer.can == Can::never) {
          ASSERT_TRUE(decision.denies()) << call << " by " << decision.rule_name();
        }
        const bool is_schemas = decision.reason == Reason::arguments_invalid;
        if (answer.can == Can::always && !has_others && !is_schemas) {
          ASSERT_TRUE(decision.permits()) << call << ": " << text(decision.reason);
        }
      }
    }
    for (std::size_t j = 0; j < who.answers.size(); ++j) {
      ++answers[who.answers[j].can];
      // Another role, which these callers have not, may give a permission.
      if (who.answers[j].can != Can::sometimes || !who.answers[j].permissions.empty()) continue;
      ++open;
      if (witnesses[j].permitted > 0) ++shown;
    }
  }
  EXPECT_GE(evaluations, 10'000U);
  for (const Can can : {Can::always, Can::sometimes, Can::never})
    EXPECT_GE(answers[can], 20U) << static_cast<int>(can);
  // What is said to be possible is, often enough among so few calls.
  EXPECT_GE(5 * shown, 2 * open) << shown << " of " << open;
}

// Where nothing is open, the answer is the decision.
TEST(WhoCanProperty, IsTheDecisionWhereAllIsKnown) {
  std::size_t evaluations = 0;
  std::size_t permitted = 0;
  for (std::uint32_t seed = 1'000; seed < 1'100; ++seed) {
    SCOPED_TRACE(seed);
    RandomQuestions random(seed);
    Config config = random.make(false);
    config.pins = {};
    for (ToolProfile& profile : config.tools)
      profile.schema.clear();
    const std::string tool = random.draw(2) == 0 ? "read" : "write";
    RealCalls calls(config, tool);
    for (const std::string x : {"1", "4", "9", "\"s\""}) {
      const Arguments all{{"x", x}, {"y", random.draw(2) == 0 ? "\"a\"" : "true"}};
      for (const WhoCanAnswer& answer : ask(config, tool, all).answers) {
        const Decision decision = calls.judge(answer, all, random.facts(config));
        ++evaluations;
        if (!answer.permissions.empty()) {
          EXPECT_EQ(decision.reason, Reason::permission_missing);
          continue;
        }
        permitted += decision.permits() ? 1U : 0U;
        const Can want = decision.permits() ? Can::always : Can::never;
        ASSERT_EQ(answer.can, want) << answer.name << " " << tool << json(all) << ": "
                                    << text(decision.reason) << " " << decision.rule_name();
        EXPECT_EQ(answer.answer.decision.reason, decision.reason);
        EXPECT_EQ(answer.rule, decision.rule_name());
      }
    }
  }
  EXPECT_GE(evaluations, 3'000U);
  EXPECT_GE(permitted, 150U);
}

}  // namespace
}  // namespace bartizan
