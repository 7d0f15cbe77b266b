#include "policy/check/lists_equal.h"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

Config config() {
  Config config = sample_config();
  config.rules["files"] = {
      .name = "files", .effect = Effect::permit, .roles = {"analyst"}, .patterns = {"files/*"}};
  config.rules["mail"] = {
      .name = "mail", .effect = Effect::permit, .roles = {"analyst"}, .patterns = {"mail/*"}};
  config.pins.mode = PinsConfig::Mode::locked;
  config.tools = {{.pattern = "files/write", .permissions = {"write:filesystem"}}};
  return config;
}

TEST(SameView, IsAboutWhatOneServerShows) {
  using Change = std::function<void(Config&)>;
  const struct {
    std::string_view name;
    Change change;
    bool is_same;
  } cases[] = {
      {"nothing", [](Config&) {}, true},
      {"another place in the file", [](Config& c) { c.rules["files"].where.line = 9; }, true},
      {"a limit, a log level, a key",
       [](Config& c) {
         c.limits["user"] = {.name = "user"};
         c.log.level = LogConfig::Level::debug;
         c.auth.api_keys.push_back({.name = "new"});
       },
       true},
      {"a rule about another server", [](Config& c) { c.rules["mail"].effect = Effect::forbid; },
       true},
      {"a profile's timeout and arguments",
       [](Config& c) {
         c.tools[0].timeout = std::chrono::milliseconds(1);
         c.tools[0].arguments.push_back({.pointer = "/path"});
       },
       true},
      {"a profile's risk and bounds of results",
       [](Config& c) {
         c.tools[0].risk = Risk::high;
         c.tools[0].max_result = 1;
       },
       true},
      {"a profile's categories", [](Config& c) { c.tools[0].categories = {"a"}; }, false},
      {"a profile that is not listed", [](Config& c) { c.tools[0].listed = false; }, false},
      {"what was approved", [](Config& c) { c.pins.tools["files"]["write"] = {}; }, false},
      {"what was approved of another server", [](Config& c) { c.pins.tools["mail"]["write"] = {}; },
       true},
      {"which definitions may be called", [](Config& c) { c.pins.mode = PinsConfig::Mode::off; },
       false},
      {"an argument that is forced",
       [](Config& c) {
         c.tools[0].arguments.push_back({.pointer = "/path", .predicate = FixedPredicate{"1"}});
       },
       false},
      {"its rule's effect", [](Config& c) { c.rules["files"].effect = Effect::forbid; }, false},
      {"its rule's patterns", [](Config& c) { c.rules["files"].patterns = {"files/r*"}; }, false},
      {"its rule's roles", [](Config& c) { c.rules["files"].roles = {"*"}; }, false},
      {"its rule observes", [](Config& c) { c.rules["files"].observe = true; }, false},
      {"its rule is gone", [](Config& c) { c.rules.erase("files"); }, false},
      {"a rule about every server",
       [](Config& c) { c.rules["all"] = {.name = "all", .roles = {"*"}, .patterns = {"**"}}; },
       false},
      {"a rule about servers of a kind",
       [](Config& c) {
         c.rules["all"] = {.name = "all", .roles = {"*"}, .patterns = {"f*/write"}};
       },
       false},
      {"a rule about methods",
       [](Config& c) {
         c.rules["m"] = {.name = "m", .target = RuleTarget::methods, .patterns = {"tools/*"}};
       },
       false},
      {"a profile of its tools", [](Config& c) { c.tools[0].permissions.clear(); }, false},
      {"a role's permissions", [](Config& c) { c.roles["analyst"].permissions.clear(); }, false},
      {"a principal's roles", [](Config& c) { c.principals["bob"].roles = {"analyst"}; }, false},
      {"a principal more", [](Config& c) { c.principals["zoe"] = {.id = "zoe"}; }, false},
      {"observing", [](Config& c) { c.policy.mode = PolicySettings::Mode::observe; }, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Config other = config();
    c.change(other);
    EXPECT_EQ(EqualLists(config(), other).has("files"), c.is_same);
  }
}

TEST(SameView, IsAboutWhatWasApprovedOfOthersWhereWhatComesFirstCounts) {
  Config before = config();
  before.pins.mode = PinsConfig::Mode::trust_on_first_use;
  Config after = before;
  after.pins.tools["mail"]["write"] = {};
  EXPECT_FALSE(EqualLists(before, after).has("files"));
}

}  // namespace
}  // namespace bartizan
