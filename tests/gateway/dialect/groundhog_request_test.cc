#include "gateway/dialect/groundhog_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using Asked = GroundhogRequest::Method;

std::string request(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","id":"r","method":")" + std::string(method) + R"(","params":)" +
         std::string(params) + "}";
}

TEST(GroundhogRequest, BecomesAMessageOfMcp) {
  const struct {
    std::string_view name, method, params;
    std::string_view message;  ///< Of MCP, from `method` on; or …
    std::string_view fault;    ///< … what its sentence has.
  } rows[] = {
      {"a list", "tools/list", "{}", R"("tools/list","params":{}})", ""},
      {"filters", "tools/list", R"({"category":"a","trust_level":"verified"})",
       R"("tools/list","params":{"category":"a","trust_level":"verified"}})", ""},
      {"a search", "tools/list", R"({"query":"files","limit":1000})",
       R"("tools/list","params":{}})", ""},
      {"no limit", "tools/list", R"({"limit":0})", "", "/params/limit"},
      {"too high a limit", "tools/list", R"({"limit":1001})", "", "/params/limit"},
      {"a limit in text", "tools/list", R"({"limit":"1"})", "", "/params/limit"},
      {"words that are none", "tools/list", R"({"query":[]})", "", "/params/query"},
      {"another member", "tools/list", R"({"cursor":"x"})", "", "no other members than"},
      {"another case", "tools/list", R"({"Category":"x"})", "", "no other members than"},
      {"meta of MCP", "tools/list", R"({"_meta":{}})", "", "no other members than"},
      {"a call", "tools/invoke",
       R"({"tool_id":"t\u0065","tool_version":"1","parameters":{"a":[1.50]}})",
       R"("tools/call","params":{"name":"te","arguments":{"a":[1.50]}}})", ""},
      {"a call without parameters", "tools/invoke", R"({"tool_id":"t","tool_version":"1"})",
       R"("tools/call","params":{"name":"t","arguments":{}}})", ""},
      {"no tool", "tools/invoke", R"({"tool_version":"1"})", "", "/params/tool_id"},
      {"an empty tool", "tools/invoke", R"({"tool_id":"","tool_version":"1"})", "",
       "/params/tool_id"},
      {"no version", "tools/invoke", R"({"tool_id":"t"})", "", "/params/tool_version"},
      {"a version that is a number", "tools/invoke", R"({"tool_id":"t","tool_version":1})", "",
       "/params/tool_version"},
      {"parameters in a list", "tools/invoke",
       R"({"tool_id":"t","tool_version":"1","parameters":[]})", "", "/params/parameters"},
      {"arguments of MCP", "tools/invoke", R"({"tool_id":"t","tool_version":"1","arguments":{}})",
       "", "no other members than"},
      {"a context that is none", "tools/invoke",
       R"({"tool_id":"t","tool_version":"1","security_context":"root"})", "",
       "/params/security_context"},
      {"permissions that are none", "tools/invoke",
       R"({"tool_id":"t","tool_version":"1","security_context":{"permissions":[1]}})", "",
       "/params/security_context/permissions"},
      {"a registration", "tools/register", "{}", "", ""},
      {"a method of MCP", "tools/call", R"({"name":"t"})", "", "there are tools/list"},
      {"another case of a method", "Tools/List", "{}", "", "there are tools/list"},
  };
  for (const auto& row : rows) {
    const SampleCall sample(request(row.method, row.params));
    const auto read = read_groundhog_request(sample.call.message);
    ASSERT_EQ(read.has_value(), row.fault.empty()) << row.name;
    if (!read.has_value()) {
      EXPECT_TRUE(read.error().detail.contains(row.fault)) << row.name << read.error().detail;
      continue;
    }
    const std::string want =
        row.message.empty() ? std::string()
                            : R"({"jsonrpc":"2.0","id":"r","method":)" + std::string(row.message);
    EXPECT_EQ(read->message, want) << row.name;
  }
}

TEST(GroundhogRequest, KeepsWhatMcpHasNoMemberFor) {
  const SampleCall sample(request(
      "tools/invoke",
      R"({"tool_id":"t","tool_version":"2","parameters":{"p":1},"security_context":{"user_id":"root","permissions":["b:c","a:b"]}})"));
  const auto read = read_groundhog_request(sample.call.message);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->method, Asked::invoke);
  EXPECT_EQ(read->tool, "t");
  EXPECT_EQ(read->version, "2");
  EXPECT_EQ(read->parameters, R"({"p":1})");
  EXPECT_TRUE(read->limits_permissions);
  EXPECT_EQ(read->permissions, (std::vector<std::string>{"a:b", "b:c"}));
  EXPECT_FALSE(read->message.contains("root"));
  const SampleCall large(
      request("tools/invoke", R"({"tool_id":"t","tool_version":"2","parameters":{"p":")" +
                                  std::string(9000, 'x') + R"("}})"));
  EXPECT_EQ(read_groundhog_request(large.call.message)->parameters, "") << "too large to be kept";
}

TEST(GroundhogRequest, IsNoNotification) {
  const SampleCall sample(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  const auto read = read_groundhog_request(sample.call.message);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::invalid_request);
}

}  // namespace
}  // namespace bartizan
