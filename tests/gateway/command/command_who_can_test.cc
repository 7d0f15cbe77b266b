#include "gateway/command/command_who_can.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/command/token_roles.h"
#include "gateway/review/kept_policies.h"
#include "gateway/review/last_config.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

const std::string kPolicy = R"(version = 1
[server.files]
command = ["/bin/cat"]
[role.analyst]
[role.boss]
permissions = ["write:files"]
[role.guest]
[principal.ann]
roles = ["analyst"]
[principal.bo]
roles = ["boss"]
[tool."files/write"]
permissions = ["write:files"]
[tool."files/*".arguments]
"/n" = { number = { min = 1, max = 10 }, optional = true }
[rule.office]
effect = "permit"
roles = ["analyst", "boss"]
tools = ["files/*"]
when = { client_address = ["10.0.0.0/8"] }
unless = { transport = ["tcp"] }
[rule.of-bosses]
effect = "permit"
roles = ["boss"]
tools = ["files/*"]
expires = 2999-01-01
[rule.approved]
effect = "require_approval"
roles = ["boss"]
tools = ["files/write"]
approvers = ["analyst"]
[rule.nights]
effect = "forbid"
roles = ["*"]
tools = ["files/*"]
unless = { time = { days = ["mon", "tue"], from = "08:00", to = "20:00", zone = "UTC" } }
[auth.api_key.laptop]
principal = "ann"
sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
[audit]
file = "audit.jsonl"
)";

class CommandWhoCanTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "bartizan-who-can-XXXXXX";
    folder_ = mkdtemp(name.data());
    file_ = folder_ / "g.toml";
    record_ = folder_ / "audit.jsonl";
    write(kPolicy);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(file_) << text; }
  Config load(const std::string& text) const {
    write(text);
    const LoadedConfig loaded = load_config(file_);
    EXPECT_TRUE(loaded.usable());
    return loaded.config;
  }
  int ask(WhoCanOptions options) {
    if (options.config.empty()) options.config = file_;
    std::ostringstream results, problems;
    const int code = who_can(options, {results, problems, OutputFormat::text});
    results_ = results.str();
    problems_ = problems.str();
    return code;
  }
  /// The results without the line that names the policy.
  std::string answers() const { return results_.substr(results_.find('\n') + 1); }

  fs::path folder_;
  std::string file_, record_;
  std::string results_, problems_;
};

TEST_F(CommandWhoCanTest, SaysWhoMayAndUnderWhichConditions) {
  EXPECT_EQ(ask({.tool = "files/write"}), kExitDone);
  EXPECT_EQ(answers(),
            R"(may call it under conditions:
  role analyst: rule office
    the client's address is in 10.0.0.0/8 (rule office)
    not (the transport is tcp) (rule office)
    it is mon, tue from 08:00 to 20:00 in UTC (rule nights)
    the caller also has the permission write:files, as with role boss
    /n is a number from 1 to 10, where it is given (profile "files/*")
  role boss; principal bo: rule of-bosses
    either it is before 2999-01-01T00:00:00Z (rule of-bosses)
    or the client's address is in 10.0.0.0/8 and not (the transport is tcp) (rule office)
    1 person of role analyst approves it, not the caller (rule approved)
    it is mon, tue from 08:00 to 20:00 in UTC (rule nights)
    /n is a number from 1 to 10, where it is given (profile "files/*")
may not call it:
  role guest: no_matching_rule
  principal ann: permission_missing write:files
note: the tool's definition is not known: arguments were not validated against a schema
)");
  EXPECT_EQ(problems_, "");
}

TEST_F(CommandWhoCanTest, TellsWhoeverMayCallAnyhowFirst) {
  load(kPolicy.substr(0, kPolicy.find("[rule.office]")) + R"([rule.all]
effect = "permit"
roles = ["*"]
tools = ["files/read"]
[rule.no-guests]
effect = "forbid"
roles = ["guest"]
tools = ["files/*"]
[audit]
file = "audit.jsonl"
)");
  EXPECT_EQ(ask({.tool = "files/read", .arguments = {"/n=7"}}), kExitDone);
  EXPECT_EQ(answers(),
            R"(may call it:
  roles analyst, boss; principals ann, bo; callers without any role: rule all
may not call it:
  role guest: forbidden, by rule no-guests
note: the tool's definition is not known: arguments were not validated against a schema
)");
  EXPECT_EQ(ask({.tool = "files/read", .arguments = {"/n=11"}}), kExitFailed);
  EXPECT_NE(results_.find("no caller may call it\n"), std::string::npos);
  EXPECT_NE(results_.find("argument_not_allowed at /n"), std::string::npos);
}

TEST_F(CommandWhoCanTest, AsksAPolicyThatTookOver) {
  const Config first = load(kPolicy);
  keep_loaded(first);
  const Config second = load(kPolicy + "[log]\nlevel = \"debug\"\n");
  keep_loaded(second);
  ASSERT_EQ(list_kept_policies(record_).size(), 2U);
  const fs::path kept = fs::path(kept_policies_path(record_)) / first.digest;
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(ask({.tool = "files/write", .policy = first.digest.substr(0, 8)}), kExitDone);
  EXPECT_TRUE(results_.starts_with("files/write under policy " + first.digest.substr(0, 12) + "\n"))
      << results_;
  EXPECT_EQ(load_kept_policy(record_, first.digest)->digest, first.digest);

  EXPECT_EQ(ask({.tool = "files/write", .policy = "p.toml"}), kExitUsage);
  EXPECT_TRUE(problems_.contains("for a file, write --config FILE")) << problems_;
  EXPECT_EQ(ask({.tool = "files/write", .policy = "abc"}), kExitUsage);
  EXPECT_NE(problems_.find("give 8 digits of the digest or more; there are:\n  "),
            std::string::npos);
  EXPECT_EQ(ask({.tool = "files/write", .policy = std::string(64, '0')}), kExitUsage);
  for (const Config* config : {&first, &second})
    EXPECT_NE(problems_.find("\n  " + config->digest + " of 20"), std::string::npos) << problems_;
  std::ofstream(kept) << "{";
  EXPECT_EQ(ask({.tool = "files/write", .policy = first.digest}), kExitUsage);
  EXPECT_NE(problems_.find(kept.string()), std::string::npos);
}

TEST_F(CommandWhoCanTest, KeepsSoManyAndTheNewest) {
  const Config config = load(kPolicy);
  keep_policy(config);
  const fs::path folder = kept_policies_path(record_);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (int i = 100; i < 230; ++i) {
    const fs::path path = folder / (std::string(61, 'a') + std::to_string(i));
    std::ofstream(path) << "{}";
    fs::last_write_time(path, old + std::chrono::seconds(i));
  }
  // What is no policy is left alone, and none is read through it.
  std::ofstream(folder / "notes.txt") << "x";
  keep_policy(config);
  const std::vector<KeptPolicy> kept = list_kept_policies(record_);
  ASSERT_EQ(kept.size(), limits::kept_policies_max);
  EXPECT_EQ(kept.front().digest, config.digest);
  EXPECT_EQ(kept.back().digest, std::string(61, 'a') + "131");
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
  EXPECT_FALSE(load_kept_policy(record_, "../audit.jsonl").has_value());
}

TEST(TokenRoles, NamesTheClaimsThatLeadToARole) {
  AuthConfig auth;
  auth.issuers.push_back({.name = "corp",
                          .roles = {{"groups", {{"a", {"boss"}}, {"b", {"guest"}}}},
                                    {"scope", {{"w", {"boss", "guest"}}}}}});
  auth.front_doors.push_back({.name = "door",
                              .provider = {.roles = {{"email", {{"x", {"boss", "guest"}}}}}},
                              .scopes = {{"files", {"boss"}}, {"more", {"boss"}}}});
  std::vector<std::string> told;
  for (const ClaimGrant& grant : claims_leading_to(auth, {"boss", "guest"})) {
    told.push_back(grant.name + " " + grant.claim + "=" + grant.value + " " + grant.role + " " +
                   std::to_string(grant.scopes.size()));
  }
  EXPECT_EQ(told, (std::vector<std::string>{"corp groups=a boss 0", "corp scope=w boss 0",
                                            "door email=x boss 2", "corp groups=b guest 0",
                                            "corp scope=w guest 0"}));
}

}  // namespace
}  // namespace bartizan
