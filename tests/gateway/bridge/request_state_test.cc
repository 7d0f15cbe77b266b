#include "gateway/bridge/request_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "tests/schemas/json_text.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
const std::string kKey(32, 'k');

/// A subject that owns its arguments.
struct Subject {
  explicit Subject(std::string_view json = R"({"path":"/a","n":1})") : arguments(json) {
    view = {.principal = "ann",
            .endpoint = "",
            .server = "files",
            .method = "tools/call",
            .target = "read",
            .arguments = arguments.root};
  }
  JsonText arguments;
  StateSubject view;
};

TEST(RequestState, OpensForItsRequestAlone) {
  Random random;
  const Subject own;
  const RequestState state{.text = "server's own \" state", .rounds = 3};
  const std::string sealed = seal_state(state, own.view, kNow, kKey, random);
  EXPECT_FALSE(sealed.contains("own"));
  const auto opened = open_state(sealed, own.view, kNow, kKey);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->text, state.text);
  EXPECT_EQ(opened->rounds, state.rounds);
  EXPECT_TRUE(
      open_state(sealed, Subject(R"({ "n": 1, "path": "\u002fa" })").view, kNow, kKey).has_value())
      << "another spelling of the same arguments";
  EXPECT_TRUE(open_state(sealed, own.view, kNow + 3600, kKey).has_value()) << "the last second";
  EXPECT_FALSE(open_state(sealed, own.view, kNow + 3601, kKey).has_value()) << "expired";
  EXPECT_FALSE(open_state(sealed, own.view, kNow, std::string(32, 'l')).has_value())
      << "of another process";
  EXPECT_FALSE(open_state(state.text, own.view, kNow, kKey).has_value()) << "not sealed";
  EXPECT_FALSE(open_state("", own.view, kNow, kKey).has_value());
  const struct {
    std::string_view name;
    std::function<void(StateSubject&)> change;
  } others[] = {
      {"another principal", [](StateSubject& of) { of.principal = "bob"; }},
      {"another endpoint", [](StateSubject& of) { of.endpoint = "b"; }},
      {"another server", [](StateSubject& of) { of.server = "mail"; }},
      {"another definition of the server", [](StateSubject& of) { of.generation = 2; }},
      {"another method", [](StateSubject& of) { of.method = "prompts/get"; }},
      {"another tool", [](StateSubject& of) { of.target = "write"; }},
      {"no arguments", [](StateSubject& of) { of.arguments = {}; }},
  };
  for (const auto& other : others) {
    Subject changed;
    other.change(changed.view);
    EXPECT_FALSE(open_state(sealed, changed.view, kNow, kKey).has_value()) << other.name;
  }
  EXPECT_FALSE(open_state(sealed, Subject(R"({"path":"/b","n":1})").view, kNow, kKey).has_value())
      << "another argument";
  for (std::size_t i = 0; i < sealed.size(); i += 7) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(open_state(changed, own.view, kNow, kKey).has_value()) << "byte " << i;
  }
}

}  // namespace
}  // namespace bartizan
