#include "policy/access/endpoint_views.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <utility>

#include "policy/check/compile_policy.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

Config with_endpoints() {
  Config config = sample_config();
  config.endpoints["desk"] = {
      .name = "desk", .path = "/desk", .servers = {"files"}, .tools = {"files/read_*"}};
  config.endpoints["all"] = {.name = "all", .path = "/all"};
  config.endpoints["mail"] = {.name = "mail", .path = "/mail", .servers = {"mail"}};
  return config;
}

TEST(EndpointViews, ShowServersAndTools) {
  const EndpointViews views(with_endpoints());
  const EndpointViews none{sample_config()};
  const struct {
    std::string_view name;
    std::optional<std::string_view> endpoint;
    TargetKind kind;
    std::string_view server;
    std::string_view target;
    bool is_shown;
  } rows[] = {
      {"a tool of a glob", "desk", TargetKind::tool, "files", "read_text", true},
      {"the glob matches whole names", "desk", TargetKind::tool, "files", "re_read_text", false},
      {"a tool of no glob", "desk", TargetKind::tool, "files", "write", false},
      {"a tool of another server", "desk", TargetKind::tool, "mail", "read_text", false},
      {"a server whose name begins so", "desk", TargetKind::tool, "files2", "read_text", false},
      {"a resource of the server", "desk", TargetKind::resource, "files", "file:///a", true},
      {"a prompt of the server", "desk", TargetKind::prompt, "files", "write", true},
      {"a resource of another server", "desk", TargetKind::resource, "mail", "mail:1", false},
      {"everything, without lists", "all", TargetKind::tool, "mail", "send", true},
      {"all tools of a server", "mail", TargetKind::tool, "mail", "send", true},
      {"an endpoint that is not there", "gone", TargetKind::tool, "files", "read_text", false},
      {"another letter case", "Desk", TargetKind::tool, "files", "read_text", false},
      {"the one of [listen] path, which is not there", "", TargetKind::tool, "files", "read_text",
       false},
      {"a transport without endpoints", std::nullopt, TargetKind::tool, "files", "write", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(views.shows(row.endpoint, row.kind, row.server, row.target), row.is_shown);
  }
  EXPECT_TRUE(none.shows("", TargetKind::tool, "files", "write"));
  EXPECT_FALSE(none.shows("desk", TargetKind::tool, "files", "write"));
}

/// What is refused of ann's call of a tool at an endpoint, and as what it is told.
struct Refusal {
  std::string_view check;
  Reason reason = Reason::none;
  bool is_hidden = false;
  Reason hidden_as = Reason::none;
  bool operator==(const Refusal&) const = default;
};

Refusal refusal_at(const Policy& policy, std::optional<std::string_view> endpoint,
                   const char* principal, std::string_view server, std::string_view tool) {
  const auto sample = sample_tool_call(server, tool);
  const ToolDefinition definition = sample_tool();
  sample->call.principal = policy.find_principal(principal).get();
  sample->call.facts.tool = &definition;
  sample->call.facts.endpoint = endpoint;
  const Verdict verdict = policy.judge(sample->call);
  const auto* denial = std::get_if<Denial>(&verdict);
  if (denial == nullptr) return {};
  const Decision& decision = denial->decision;
  return {denial->check, decision.reason, decision.is_hidden, decision.hidden_as};
}

TEST(EndpointViews, BindCallsAndHideWhatTheyLeaveOut) {
  Config config = with_endpoints();
  add_rule(config,
           sample_rule("read-and-write", Effect::permit, {"*"}, {"files/read_*", "files/write"}));
  const auto policy = compile_policy(config, sample_names());
  const Refusal hidden{"endpoint", Reason::not_at_endpoint, true, Reason::tool_unknown};
  EXPECT_EQ(refusal_at(*policy, "desk", "ann", "files", "read_text"), Refusal{});
  EXPECT_EQ(refusal_at(*policy, "all", "ann", "files", "write"), Refusal{}) << "the control";
  EXPECT_EQ(refusal_at(*policy, "desk", "ann", "files", "write"), hidden);
  EXPECT_EQ(refusal_at(*policy, "mail", "ann", "files", "read_text"), hidden);
  EXPECT_EQ(refusal_at(*policy, "gone", "ann", "files", "read_text"), hidden);
  EXPECT_EQ(refusal_at(*policy, std::nullopt, "ann", "files", "write"), Refusal{});
  // No view says more than rules do: who may not call is told what any name would be told.
  EXPECT_EQ(refusal_at(*policy, "desk", "ann", "files", "erase").reason, Reason::no_matching_rule);
  // Nor does observing let anybody past a view.
  config.policy.mode = PolicySettings::Mode::observe;
  config.policy.until = 1'000'000'000'000;
  const auto observing = compile_policy(config, sample_names());
  EXPECT_EQ(refusal_at(*observing, "desk", "ann", "files", "write"), hidden);
  EXPECT_FALSE(observing->shows(*observing->find_principal("ann"), TargetKind::tool, "files",
                                "write", any_call_at(0, "desk")));
  EXPECT_TRUE(observing->shows(*observing->find_principal("ann"), TargetKind::tool, "files",
                               "write", any_call_at(0, "all")));
  EXPECT_FALSE(
      observing->concerns(*observing->find_principal("ann"), "mail", any_call_at(0, "desk")));
}

}  // namespace
}  // namespace bartizan
