#include "policy/diff/diff_endpoints.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

Config with_desk() {
  Config config = sample_config();
  config.endpoints["desk"] = {.name = "desk",
                              .path = "/desk",
                              .auth = {"api_key.a", "api_key.b"},
                              .servers = {"files", "mail"},
                              .tools = {"files/*"},
                              .resource = "https://a.example/desk"};
  return config;
}

std::vector<std::string> told(const Config& older, const Config& newer) {
  std::vector<std::string> lines;
  for (const SettingChange& one : diff_endpoints(older, newer)) {
    const bool is_gain = one.kind == SettingChange::Kind::gained;
    lines.push_back((is_gain ? "+" : "-") + one.what + " " + one.how);
  }
  return lines;
}

TEST(DiffEndpoints, SaysWhatBecameWider) {
  const struct {
    std::string_view name;
    std::function<void(Config&)> change;
    std::vector<std::string> want;
  } rows[] = {
      {"nothing", [](Config&) {}, {}},
      {"another one",
       [](Config& c) { c.endpoints["more"] = {.name = "more", .path = "/more"}; },
       {"+endpoint more is new"}},
      {"one that is gone, and so the one of [listen] path",
       [](Config& c) { c.endpoints.clear(); },
       {"+endpoint of [listen] path is new", "-endpoint desk is gone"}},
      {"another path",
       [](Config& c) { c.endpoints["desk"].path = "/x"; },
       {"+endpoint desk is at another path"}},
      {"fewer keys",
       [](Config& c) { c.endpoints["desk"].auth = {"api_key.b"}; },
       {"-endpoint desk accepts fewer credentials"}},
      {"another key",
       [](Config& c) { c.endpoints["desk"].auth = {"api_key.c"}; },
       {"+endpoint desk accepts other credentials"}},
      {"all keys",
       [](Config& c) { c.endpoints["desk"].auth = {}; },
       {"+endpoint desk accepts other credentials"}},
      {"fewer servers",
       [](Config& c) { c.endpoints["desk"].servers = {"files"}; },
       {"-endpoint desk shows fewer servers"}},
      {"all servers",
       [](Config& c) { c.endpoints["desk"].servers = {}; },
       {"+endpoint desk shows other servers"}},
      {"other tools",
       [](Config& c) { c.endpoints["desk"].tools = {"files/read_*"}; },
       {"+endpoint desk shows other tools"}},
      {"another resource",
       [](Config& c) { c.endpoints["desk"].resource = "https://b.example/"; },
       {"+endpoint desk takes tokens of another resource"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config newer = with_desk();
    row.change(newer);
    EXPECT_EQ(told(with_desk(), newer), row.want);
  }
}

TEST(DiffIssuers, SaysWhoseTokensAreTakenNow) {
  const auto with = [](std::vector<IssuerConfig> issuers) {
    Config config = sample_config();
    config.auth.issuers = std::move(issuers);
    return config;
  };
  const auto told_of = [](const Config& older, const Config& newer) {
    std::vector<std::string> lines;
    for (const SettingChange& one : diff_issuers(older, newer)) {
      const bool is_gain = one.kind == SettingChange::Kind::gained;
      lines.push_back((is_gain ? "+" : "-") + one.what + " " + one.how);
    }
    return lines;
  };
  using Lines = std::vector<std::string>;
  const IssuerConfig corp{.name = "corp", .issuer = "https://a.example", .audiences = {"x"}};
  IssuerConfig other = corp;
  other.audiences = {"x", "y"};
  IssuerConfig moved = corp;
  moved.where.line = 7;
  EXPECT_EQ(told_of(with({corp}), with({corp})), Lines{});
  EXPECT_EQ(told_of(with({corp}), with({moved})), Lines{});
  EXPECT_EQ(told_of(with({}), with({corp})),
            Lines{"+issuer corp is new, and proves whom its tokens name"});
  EXPECT_EQ(told_of(with({corp}), with({other})),
            Lines{"+issuer corp is another one, or proves others"});
  EXPECT_EQ(told_of(with({corp}), with({})), Lines{"-issuer corp is gone"});
}

}  // namespace
}  // namespace bartizan
