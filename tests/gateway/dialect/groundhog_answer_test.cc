#include "gateway/dialect/groundhog_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

using Asked = GroundhogRequest::Method;

constexpr std::string_view kId = "01a1fe6b-0000-7000-8000-000000000001";

const GroundhogRequest kCall{.method = Asked::invoke,
                             .tool = "list",
                             .version = "1",
                             .parameters = R"({"path":"/etc/passwd"})"};
const GroundhogRequest kList{.method = Asked::list};

GroundhogAnswered answered(const GroundhogRequest* request, bool is_permitted) {
  return {.request = request,
          .decision_id = is_permitted ? std::string(kId) : std::string(),
          .permissions = {"read:filesystem"},
          .now = std::chrono::sys_seconds(std::chrono::seconds(1'704'110'400)),
          .elapsed = std::chrono::milliseconds(123)};
}

std::string result(std::string_view body) {
  return R"({"jsonrpc":"2.0","id":"2","result":)" + std::string(body) + "}";
}

TEST(GroundhogAnswer, HasTheDataOfTheTool) {
  const struct {
    std::string_view name, result, data;
  } rows[] = {
      {"structured content",
       R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{"path":"./src","entries":[{},{}]}})",
       R"({"path":"./src","entries":[{},{}],"metadata":{"total_entries":2,"execution_time":0.123000,"truncated":false}})"},
      {"its own metadata",
       R"({"content":[],"structuredContent":{"metadata":{"total_entries":9,"truncated":true,"depth":1}}})",
       R"({"metadata":{"total_entries":9,"truncated":true,"depth":1,"execution_time":0.123000}})"},
      {"metadata that is not an object", R"({"content":[],"structuredContent":{"metadata":7}})",
       R"({"metadata":{"value":7,"total_entries":0,"execution_time":0.123000,"truncated":false}})"},
      {"content alone", R"({"content":[{"type":"text","text":"a"}]})",
       R"({"content":[{"type":"text","text":"a"}],"metadata":{"total_entries":1,"execution_time":0.123000,"truncated":false}})"},
      {"an image beside it",
       R"({"content":[{"type":"image","data":""}],"structuredContent":{"a":1}})",
       R"({"a":1,"content":[{"type":"image","data":""}],"metadata":{"total_entries":1,"execution_time":0.123000,"truncated":false}})"},
      {"structured content that is null",
       R"({"content":[{"type":"text","text":"a"}],"structuredContent":null})",
       R"({"content":[{"type":"text","text":"a"}],"metadata":{"total_entries":1,"execution_time":0.123000,"truncated":false}})"},
      {"what was cut",
       R"({"content":[{"type":"text","text":"[truncated: 1 of 2 blocks]"}],"structuredContent":{"a":1}})",
       R"({"a":1,"content":[{"type":"text","text":"[truncated: 1 of 2 blocks]"}],"metadata":{"total_entries":1,"execution_time":0.123000,"truncated":true}})"},
  };
  for (const auto& row : rows) {
    const std::string want =
        R"({"jsonrpc":"2.0","id":"2","result":{"tool_id":"list","execution_id":"exec-)" +
        std::string(kId) + R"(","status":"success","data":)" + std::string(row.data) +
        R"(,"security_context":{"access_granted":true,"permissions_used":["read:filesystem"],"audit_id":")" +
        std::string(kId) + R"("}}})";
    EXPECT_EQ(write_groundhog_answer(result(row.result), answered(&kCall, true)), want) << row.name;
  }
}

TEST(GroundhogAnswer, HasTheErrorOfTheDocument) {
  const std::string mcp =
      R"({"jsonrpc":"2.0","id":"2","error":{"code":-32000,"message":"It leads outside.","data":{"reason":"path_outside_root","category":"validation","decision_id":")" +
      std::string(kId) +
      R"(","pointer":"/path","remediation":"Request access","retryable":false}}})";
  const std::string want =
      R"({"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"Tool execution failed","data":{"error_type":"security_error","error_code":"path_outside_root","error_message":")" +
      std::string(message_of(Reason::path_outside_root)) +
      R"(","details":{"requested_path":"/etc/passwd","reason":"It leads outside.","suggestion":"Request access","pointer":"/path","retryable":false},"security_context":{"violation_type":"unauthorized_access","audit_id":")" +
      std::string(kId) + R"("},"timestamp":"2024-01-01T12:00:00Z"}}})";
  EXPECT_EQ(write_groundhog_answer(mcp, answered(&kCall, false)), want);
}

TEST(GroundhogAnswer, SaysWhoseFailureItIs) {
  const std::string refusal =
      R"({"reason":"limited","category":"security","decision_id":")" + std::string(kId) + R"("})";
  const struct {
    std::string name, mcp;
    const GroundhogRequest* request;
    bool is_permitted;
    std::string_view type, code, rpc;
  } rows[] = {
      {"a refusal",
       R"({"jsonrpc":"2.0","id":"2","error":{"code":-32000,"message":"m","data":)" + refusal + "}}",
       &kCall, false, "security_error", "limited", "-32601"},
      {"a refusal of what was permitted",
       R"({"jsonrpc":"2.0","id":"2","error":{"code":-32000,"message":"m","data":)" + refusal + "}}",
       &kCall, true, "security_error", "limited", "-32601"},
      {"a server that says it refused",
       R"({"jsonrpc":"2.0","id":"2","error":{"code":-32000,"message":"m","data":{"reason":"limited","decision_id":"x"}}})",
       &kCall, true, "tool_error", "tool_failed", "-32601"},
      {"a server's error", R"({"jsonrpc":"2.0","id":"2","error":{"code":-32602,"message":"m"}})",
       &kCall, true, "tool_error", "tool_failed", "-32601"},
      {"a tool's error", result(R"({"content":[{"type":"text","text":"m"}],"isError":true})"),
       &kCall, true, "tool_error", "tool_failed", "-32601"},
      {"a refusal for the model",
       result(
           R"({"content":[{"type":"text","text":"m"}],"isError":true,"_meta":{"bartizan/denial":{"reason":"arguments_invalid","category":"validation"}}})"),
       &kCall, false, "validation_error", "arguments_invalid", "-32601"},
      {"a tool that pretends to be one",
       result(
           R"({"content":[{"type":"text","text":"m"}],"isError":true,"_meta":{"bartizan/denial":{"reason":"arguments_invalid"}}})"),
       &kCall, true, "tool_error", "tool_failed", "-32601"},
      {"a result that was withheld",
       result(
           R"({"content":[{"type":"text","text":"m"}],"_meta":{"bartizan/withheld":{"reason":"result_invalid","decision_id":")" +
           std::string(kId) + R"("}}})"),
       &kCall, true, "validation_error", "result_invalid", "-32601"},
      {"a server that says it was",
       result(
           R"({"content":[{"type":"text","text":"m"}],"isError":true,"_meta":{"bartizan/withheld":{"reason":"result_invalid"}}})"),
       &kCall, true, "tool_error", "tool_failed", "-32601"},
      {"a text that is not JSON",
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}})", nullptr, false,
       "protocol_error", "parse_error", "-32700"},
      {"an unknown method", R"({"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"m"}})",
       nullptr, false, "protocol_error", "method_not_found", "-32601"},
      {"a list that was refused",
       R"({"jsonrpc":"2.0","id":"2","error":{"code":-32602,"message":"m","data":{"reason":"invalid_params","category":"protocol"}}})",
       &kList, false, "protocol_error", "invalid_params", "-32602"},
  };
  for (const auto& row : rows) {
    const std::string told =
        write_groundhog_answer(row.mcp, answered(row.request, row.is_permitted));
    EXPECT_TRUE(told.contains(R"("error_type":")" + std::string(row.type) + '"'))
        << row.name << told;
    EXPECT_TRUE(told.contains(R"("error_code":")" + std::string(row.code) + '"'))
        << row.name << told;
    EXPECT_TRUE(told.contains(R"("code":)" + std::string(row.rpc))) << row.name << told;
    EXPECT_TRUE(told.contains(R"("reason":"m")")) << row.name << told;
  }
}

TEST(GroundhogAnswer, LeavesListsAsTheyAre) {
  const std::string list = result(R"({"tools":[],"total_matches":0,"search_time":0.1})");
  EXPECT_EQ(write_groundhog_answer(list, answered(&kList, false)), list);
}

}  // namespace
}  // namespace bartizan
