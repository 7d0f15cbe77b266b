#include "gateway/upstream/server_definition.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

/// Servers whose variables have secrets in files of their own.
class ServerDefinitionTest : public ChainTest {
 protected:
  void put(const std::string& name, const std::string& secret) {
    write(path(name), secret);
    ::chmod(path(name).c_str(), 0600);
  }

  Config config() const {
    Config config;
    config.servers["files"] = {.name = "files", .command = {"/bin/true"}};
    for (const std::string variable : {"A", "B"}) {
      config.servers["files"].env_secrets[variable] = {.kind = SecretReference::Kind::file,
                                                       .name = path(variable)};
    }
    return config;
  }

  ServerDefinitions started() {
    auto defined = define_servers(config(), nullptr, 1);
    EXPECT_TRUE(defined.has_value());
    return *defined;
  }
};

TEST_F(ServerDefinitionTest, KeepsAServerWhoseSecretsAreWhatTheyWere) {
  put("A", "one");
  put("B", "two");
  const ServerDefinitions before = started();
  put("A", "one");
  const auto defined = define_servers(config(), &before, 2);
  ASSERT_TRUE(defined.has_value());
  EXPECT_EQ(defined->at("files"), before.at("files"));
}

TEST_F(ServerDefinitionTest, DefinesAServerAnewWhoseSecretChanged) {
  put("A", "one");
  put("B", "two");
  const ServerDefinitions before = started();
  put("B", "three");
  const auto defined = define_servers(config(), &before, 2);
  ASSERT_TRUE(defined.has_value());
  EXPECT_EQ(defined->at("files")->generation, 2U);
}

TEST_F(ServerDefinitionTest, TellsWhatAServerIsApartFromItsSecrets) {
  put("A", "one");
  put("B", "two");
  const std::string program = started().at("files")->program;
  put("B", "three");
  EXPECT_EQ(started().at("files")->program, program);
  Config other = config();
  other.servers["files"].timeout = std::chrono::seconds(1);
  EXPECT_EQ(define_servers(other, nullptr, 1)->at("files")->program, program);
  other.servers["files"].executables["/bin/true"] = "digest";
  EXPECT_NE(define_servers(other, nullptr, 1)->at("files")->program, program);
  other = config();
  other.servers["files"].command = {"/bin/true", "argument"};
  EXPECT_NE(define_servers(other, nullptr, 1)->at("files")->program, program);
}

TEST_F(ServerDefinitionTest, DefinesServersAnewWhereOtherMembersMayChange) {
  put("A", "one");
  put("B", "two");
  const ServerDefinitions before = started();
  Config other = config();
  other.pins.volatile_members = {"/_meta/build"};
  const auto defined = define_servers(other, &before, 2);
  ASSERT_TRUE(defined.has_value());
  const ServerDefinition& after = *defined->at("files");
  EXPECT_EQ(after.generation, 2U);
  EXPECT_EQ(after.volatile_members, other.pins.volatile_members);
  EXPECT_NE(after.program, before.at("files")->program) << "what came first is told apart anew";
}

TEST_F(ServerDefinitionTest, RefusesASecretThatCannotBeReadAnyMore) {
  put("A", "one");
  put("B", "two");
  const ServerDefinitions before = started();
  ::chmod(path("B").c_str(), 0644);
  const auto open_to_all = define_servers(config(), &before, 2);
  ASSERT_FALSE(open_to_all.has_value());
  EXPECT_EQ(open_to_all.error().code, ErrorCode::config_invalid);
  EXPECT_TRUE(open_to_all.error().detail.starts_with("server \"files\": "))
      << open_to_all.error().detail;
  std::filesystem::remove(path("B"));
  EXPECT_FALSE(define_servers(config(), &before, 2).has_value());
}

TEST_F(ServerDefinitionTest, RefusesAnAddedServerWhoseSecretCannotBeRead) {
  const ServerDefinitions before;
  EXPECT_FALSE(define_servers(config(), &before, 2).has_value());
}

// Only its child fails, and whatever else the configuration says can still be changed.
TEST_F(ServerDefinitionTest, GoesOnWithoutASecretThatNeverWasThere) {
  put("A", "one");
  const ServerDefinitions before = started();
  const auto defined = define_servers(config(), &before, 2);
  ASSERT_TRUE(defined.has_value());
  EXPECT_EQ(defined->at("files"), before.at("files"));
}

TEST_F(ServerDefinitionTest, MistakesNoSecretForTwo) {
  put("A", "one\nB=two");
  put("B", "three");
  const ServerDefinitions before = started();
  put("A", "one");
  put("B", "two\nB=three");
  const auto defined = define_servers(config(), &before, 2);
  ASSERT_TRUE(defined.has_value());
  EXPECT_EQ(defined->at("files")->generation, 2U);
}

}  // namespace
}  // namespace bartizan
