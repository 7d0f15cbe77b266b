#include "gateway/process/package_runner_env.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bartizan {
namespace {

using Names = std::vector<std::string>;

const Names kHere{"HOME", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "TERM", "npm_config_registry"};

TEST(WithheldVariables, AreThoseThatAProgramWhichFetchesNeedsAndIsNotGiven) {
  const struct {
    std::string_view name;
    ServerConfig server;
    Names want;
  } cases[] = {
      {"npx", {.command = {"npx"}}, {"HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "npm_config_registry"}},
      {"by its path",
       {.command = {"/usr/bin/uvx"}},
       {"HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "npm_config_registry"}},
      {"another program", {.command = {"mcp-server"}}, {}},
      {"one that only begins so", {.command = {"npx-server"}}, {}},
      {"a URL", {.url = "https://h/"}, {}},
      {"what is passed on, set or a secret",
       {.command = {"npx"},
        .env = {{"HTTPS_PROXY", "http://p"}},
        .env_allow = {"NODE_EXTRA_CA_CERTS"},
        .env_secrets = {{"npm_config_registry", {}}}},
       {}},
  };
  for (const auto& c : cases)
    EXPECT_EQ(withheld_variables(c.server, kHere), c.want) << c.name;
}

TEST(ExplainSilence, NamesWhatIsMissing) {
  constexpr std::string_view kSilent = "started, but did not introduce itself within 30 s";
  EXPECT_EQ(explain_silence({.command = {"mcp-server"}}, kHere), kSilent);
  const std::string fetches =
      std::string(kSilent) +
      "; it fetches packages, and of the environment it is given only PATH, HOME and what is named";
  EXPECT_EQ(explain_silence({.command = {"npx"}}, kHere),
            fetches +
                ": HTTPS_PROXY, NODE_EXTRA_CA_CERTS, npm_config_registry need env_allow, or "
                "wrap --env");
  EXPECT_EQ(explain_silence({.command = {"npx"}}, {}),
            fetches + ": proxies and certificates need env_allow, or wrap --env");
}

}  // namespace
}  // namespace bartizan
