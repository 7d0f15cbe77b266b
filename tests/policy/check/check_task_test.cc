#include "policy/check/check_task.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kDeclared = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
constexpr std::string_view kOther = R"({"extensions":{"com.example/other":{}}})";

std::string request(std::string_view method, std::string_view params, std::string_view declared) {
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":")";
  text.append(method).append(R"(","params":{)").append(params);
  text += R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)";
  text += R"("io.modelcontextprotocol/clientCapabilities":)";
  return text.append(declared) + "}}}";
}

TEST(CheckTask, ClientsAskForTasksOfTheirOwn) {
  constexpr std::string_view task = R"("taskId":"t",)";
  constexpr std::string_view followed = R"("notifications":{"taskIds":["t"]},)";
  const struct {
    std::string_view name;
    std::string_view method;
    std::string_view params;
    std::string_view declared;
    bool is_own;
    Reason want;
  } cases[] = {
      {"a task of their own", "tasks/get", task, kDeclared, true, Reason::none},
      {"answered", "tasks/update", task, kDeclared, true, Reason::none},
      {"ended", "tasks/cancel", task, kDeclared, true, Reason::none},
      {"another's", "tasks/get", task, kDeclared, false, Reason::task_unknown},
      {"another's, ended", "tasks/cancel", task, kDeclared, false, Reason::task_unknown},
      {"undeclared", "tasks/get", task, "{}", true, Reason::client_capability_missing},
      {"another extension", "tasks/get", task, kOther, true, Reason::client_capability_missing},
      {"undeclared before unknown", "tasks/get", task, "{}", false,
       Reason::client_capability_missing},
      {"declared by no object", "tasks/get", task,
       R"({"extensions":{"io.modelcontextprotocol/tasks":true}})", true,
       Reason::client_capability_missing},
      {"news", "subscriptions/listen", followed, kDeclared, false, Reason::none},
      {"news, undeclared", "subscriptions/listen", followed, "{}", false,
       Reason::client_capability_missing},
      {"news of no list", "subscriptions/listen", R"("notifications":{"taskIds":"t"},)", kDeclared,
       false, Reason::invalid_params},
      {"news of numbers", "subscriptions/listen", R"("notifications":{"taskIds":[1]},)", kDeclared,
       false, Reason::invalid_params},
      {"other news", "subscriptions/listen", R"("notifications":{},)", "{}", false, Reason::none},
      {"an older method", "tasks/result", task, kDeclared, true, Reason::method_not_found},
      {"an older list", "tasks/list", "", kDeclared, true, Reason::method_not_found},
      {"a call", "tools/call", R"("name":"files_read",)", "{}", false, Reason::none},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto sample = std::make_unique<SampleCall>(request(c.method, c.params, c.declared));
    sample->call.era = Era::modern;
    sample->call.facts.names_own_task = c.is_own;
    EXPECT_EQ(check_task(sample->call).reason, c.want);
  }
}

TEST(CheckTask, NobodyIsOfferedTasksOfTheLegacyEra) {
  for (const std::string_view method :
       {"tasks/get", "tasks/result", "tasks/cancel", "tasks/list"}) {
    SCOPED_TRACE(method);
    const auto sample =
        std::make_unique<SampleCall>(request(method, R"("taskId":"t",)", kDeclared));
    sample->call.facts.names_own_task = true;
    EXPECT_EQ(check_task(sample->call).reason, Reason::method_not_found);
  }
}

}  // namespace
}  // namespace bartizan
