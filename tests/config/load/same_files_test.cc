#include "config/load/same_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string_view>

#include "tests/config/folder.h"

namespace bartizan {
namespace {

constexpr std::string_view kMain = R"(version = 1
include = ["policy.d/*.toml", "more.toml"]
[auth]
mode = "none"
principal = "ann"
[principal.ann]
roles = ["analyst"]
[role.analyst]
[server.files]
command = ["files"]
[tool."files/read"]
schema = "file:read.json"
[pins]
file = "bartizan.lock"
[audit]
file = "audit.jsonl"
[detector.house]
gitleaks = "rules.toml"
)";
constexpr std::string_view kRule =
    "[rule.one]\neffect = \"permit\"\nroles = [\"analyst\"]\ntools = [\"files/read\"]\n";
constexpr std::string_view kRules = "[[rules]]\nid = \"one\"\nregex = \"house-[a-z]{8}\"\n";
constexpr std::string_view kLock = R"({"version":2,"servers":{}})";

LoadedConfig load_from(const Folder& folder) {
  folder.write("policy.d/a.toml", kRule);
  folder.write("more.toml", "[role.other]\n");
  folder.write("read.json", R"({"type":"object"})");
  folder.write("bartizan.lock", kLock);
  folder.write("rules.toml", kRules);
  return load_config(folder.write("main.toml", kMain));
}

TEST(SameFiles, AreThoseThatSayWhatWasRead) {
  const struct {
    std::string_view name;
    std::function<void(const Folder&)> change;
    bool want;
  } rows[] = {
      {"nothing", [](const Folder&) {}, true},
      {"written again", [](const Folder& f) { f.write("main.toml", kMain); }, true},
      {"a hidden file beside", [](const Folder& f) { f.write("policy.d/.b.toml", "x"); }, true},
      {"one letter", [](const Folder& f) { f.write("more.toml", "[role.othes]\n"); }, false},
      {"one letter more", [](const Folder& f) { f.write("more.toml", "[role.other]\n\n"); }, false},
      {"a letter less", [](const Folder& f) { f.write("more.toml", "[role.other]"); }, false},
      {"the main file", [](const Folder& f) { f.write("main.toml", "version = 1\n"); }, false},
      {"a file more", [](const Folder& f) { f.write("policy.d/b.toml", ""); }, false},
      {"a file less", [](const Folder& f) { std::filesystem::remove(f.name("policy.d/a.toml")); },
       false},
      {"a schema", [](const Folder& f) { f.write("read.json", "{}"); }, false},
      {"a file of gitleaks rules", [](const Folder& f) { f.write("rules.toml", ""); }, false},
      {"what is approved", [](const Folder& f) { f.write("bartizan.lock", "{}"); }, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Folder folder;
    const LoadedConfig loaded = load_from(folder);
    ASSERT_TRUE(loaded.usable()) << all_text(loaded);
    row.change(folder);
    EXPECT_EQ(has_same_files(loaded), row.want);
  }
}

TEST(SameFiles, AreNotKnownOfWhatDoesNotLoad) {
  const Folder folder;
  EXPECT_FALSE(has_same_files(load_config(folder.write("main.toml", "version = 2\n"))));
  EXPECT_FALSE(has_same_files(load_config(folder.name("missing.toml"))));
}

}  // namespace
}  // namespace bartizan
