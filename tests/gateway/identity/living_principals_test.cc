#include "gateway/identity/living_principals.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ClaimsPtr claims(std::vector<std::string> roles, std::vector<std::string> permissions = {}) {
  return std::make_shared<const Claims>(
      Claims{.roles = std::move(roles), .permissions = std::move(permissions), .attributes = {}});
}

Config config_with_rule(std::string role) {
  Config config = sample_config();
  config.rules["read"] = {.name = "read",
                          .effect = Effect::permit,
                          .roles = {std::move(role)},
                          .patterns = {"files/read_*"}};
  return config;
}

bool shows(const Policy& policy, const Principal& principal) {
  return policy.shows(principal, TargetKind::tool, "files", "read_text",
                      any_call_at(0, std::nullopt));
}

TEST(ClaimedPrincipal, IsJudgedByItsRolesAlone) {
  const auto policy = compile_policy(config_with_rule("analyst"), sample_names());
  Config named = config_with_rule("nobody");
  named.rules["read"].roles = {};
  named.rules["read"].principals = {"bob", "dan", "ann", "eve"};
  const auto by_name = compile_policy(named, sample_names());
  const struct {
    std::string_view name;
    ClaimsPtr claims;
    const Policy& policy;
    bool may;
  } cases[] = {
      {"a role that a rule names", claims({"analyst"}), *policy, true},
      {"several roles", claims({"developer", "analyst"}), *policy, true},
      {"another role", claims({"developer"}), *policy, false},
      {"no role", claims({}), *policy, false},
      {"a role that is not configured", claims({"boss"}), *policy, false},
      {"the name of a role in other letter case", claims({"Analyst"}), *policy, false},
      // Principals are numbered; one that is not configured has the number of none.
      {"a rule for every configured principal", claims({"analyst"}), *by_name, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Principal principal = c.policy.principal_of("corp/zoe", c.claims);
    EXPECT_EQ(principal.id, "corp/zoe");
    EXPECT_EQ(shows(c.policy, principal), c.may);
    EXPECT_EQ(c.policy.concerns(principal, "files", any_call_at(0, std::nullopt)), c.may);
  }
  EXPECT_TRUE(shows(*by_name, *by_name->find_principal("ann"))) << "the rule does permit somebody";
}

TEST(ClaimedPrincipal, HasThePermissionsAndTrustOfItsRoles) {
  Config config = sample_config();
  config.roles["analyst"].permissions = {"read:files"};
  config.roles["analyst"].trust = Trust::verified;
  config.roles["developer"].trust = Trust::community;
  const auto policy = compile_policy(config, sample_names());
  const struct {
    std::string_view name;
    ClaimsPtr claims;
    std::vector<std::string> permissions;
    Trust trust;
  } cases[] = {
      {"a role", claims({"analyst"}), {"read:files"}, Trust::verified},
      {"the lowest of two", claims({"analyst", "developer"}), {"read:files"}, Trust::community},
      {"with one that is not configured",
       claims({"analyst", "boss"}),
       {"read:files"},
       Trust::untrusted},
      {"permissions add up",
       claims({"analyst"}, {"write:files", "read:files"}),
       {"read:files", "write:files"},
       Trust::verified},
      {"permissions without a role", claims({}, {"read:files"}), {"read:files"}, Trust::untrusted},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Principal principal = policy->principal_of("corp/zoe", c.claims);
    EXPECT_EQ(principal.permissions, c.permissions);
    EXPECT_EQ(principal.trust, c.trust);
  }
}

TEST(LivingPrincipals, OneOfEachWhileSomebodyHoldsIt) {
  const auto policy = compile_policy(sample_config(), sample_names());
  LivingPrincipals living;
  const ClaimsPtr first = claims({"analyst"});
  PrincipalPtr held = living.find_or_make(*policy, "corp/zoe", first);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(living.find_or_make(*policy, "corp/zoe", first), held);
  EXPECT_TRUE(living.has("corp/zoe"));
  EXPECT_FALSE(living.has("corp/zo"));
  EXPECT_EQ(living.size(), 1U);
  held.reset();
  EXPECT_FALSE(living.has("corp/zoe"));
  EXPECT_EQ(living.size(), 0U);
}

TEST(LivingPrincipals, LaterClaimsMakeAnotherValue) {
  const auto policy = compile_policy(sample_config(), sample_names());
  LivingPrincipals living;
  const PrincipalPtr before = living.find_or_make(*policy, "corp/zoe", claims({"analyst"}));
  const PrincipalPtr after = living.find_or_make(*policy, "corp/zoe", claims({"developer"}));
  EXPECT_EQ(before->roles, std::vector<std::string>{"analyst"});
  EXPECT_EQ(after->roles, std::vector<std::string>{"developer"});
  EXPECT_EQ(living.find_or_make(*policy, "corp/zoe", claims({"developer"})), after)
      << "claims that say so are the ones that it has";
}

TEST(LivingPrincipals, LivesUntilItsLastValueIsLetGo) {
  const auto policy = compile_policy(sample_config(), sample_names());
  LivingPrincipals living(1);
  PrincipalPtr before = living.find_or_make(*policy, "corp/zoe", claims({"analyst"}));
  PrincipalPtr after = living.find_or_make(*policy, "corp/zoe", claims({"developer"}));
  after.reset();
  EXPECT_TRUE(living.has("corp/zoe")) << "somebody holds the one before";
  EXPECT_EQ(living.find_or_make(*policy, "corp/yan", claims({})), nullptr);
  before.reset();
  EXPECT_FALSE(living.has("corp/zoe"));
  EXPECT_NE(living.find_or_make(*policy, "corp/yan", claims({})), nullptr);
}

TEST(LivingPrincipals, MayBeLetGoAfterTheirTable) {
  const auto policy = compile_policy(sample_config(), sample_names());
  auto living = std::make_unique<LivingPrincipals>();
  const PrincipalPtr held = living->find_or_make(*policy, "corp/zoe", claims({"analyst"}));
  living.reset();
  EXPECT_EQ(held->id, "corp/zoe");
}

TEST(LivingPrincipals, AnotherPolicyNumbersRolesAnew) {
  const auto policy = compile_policy(config_with_rule("analyst"), sample_names());
  Config config = config_with_rule("zebra");
  config.roles["aardvark"] = {.name = "aardvark"};
  config.roles["zebra"] = {.name = "zebra"};
  const auto other = compile_policy(config, sample_names());
  LivingPrincipals living;
  const ClaimsPtr analyst = claims({"analyst"});
  const PrincipalPtr before = living.find_or_make(*policy, "corp/zoe", analyst);
  const PrincipalPtr after = living.find_or_make(*other, "corp/zoe", analyst);
  EXPECT_NE(before->role_indexes, after->role_indexes);
  EXPECT_TRUE(shows(*policy, *before));
  EXPECT_FALSE(shows(*other, *after));
  EXPECT_EQ(living.find_or_make(*other, "corp/zoe", analyst), after);
}

TEST(LivingPrincipals, AreBounded) {
  const auto policy = compile_policy(sample_config(), sample_names());
  LivingPrincipals living(2);
  const ClaimsPtr none = claims({});
  const PrincipalPtr one = living.find_or_make(*policy, "corp/a", none);
  PrincipalPtr two = living.find_or_make(*policy, "corp/b", none);
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(living.find_or_make(*policy, "corp/c", none), nullptr);
  EXPECT_EQ(living.find_or_make(*policy, "corp/a", none), one) << "who lives goes on";
  two.reset();
  EXPECT_NE(living.find_or_make(*policy, "corp/c", none), nullptr);
}

}  // namespace
}  // namespace bartizan
