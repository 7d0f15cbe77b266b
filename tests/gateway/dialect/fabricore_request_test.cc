#include "gateway/dialect/fabricore_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

std::string read(std::string_view text, std::string_view meta = {}) {
  const Bytes bytes{text};
  JsonDocument document;
  const JsonValue message = document.read(bytes).value_or(JsonValue());
  const auto asked = read_fabricore_request(
      message, [](std::string_view tool) { return "db_" + std::string(tool); }, meta);
  if (!asked.has_value()) return "! " + asked.error().detail;
  return asked->inner_id.empty() ? asked->message : asked->inner_id + " " + asked->message;
}

std::string request(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","id":"r","method":")" + std::string(method) + R"(","params":)" +
         std::string(params) + "}";
}

TEST(FabricoreRequest, BecomesACallOfATool) {
  const struct {
    std::string_view name, method;
    std::string params;
    std::string_view call;   ///< From `params` on; or …
    std::string_view fault;  ///< … what its sentence has.
  } rows[] = {
      {"a call, its arguments as they stand", "tool.execute",
       R"({"tool_name":"exec_command","arguments":{"command": "a\u0062", "n":1.50}})",
       R"({"name":"db_exec_command","arguments":{"command": "a\u0062", "n":1.50}})", ""},
      {"no arguments", "tool.execute", R"({"tool_name":"t"})", R"({"name":"db_t","arguments":{}})",
       ""},
      {"an execution, and an approval that counts for nothing", "tool.execute",
       R"({"tool_name":"t","execution_id":"task-999","approved_by":"admin"})",
       R"({"name":"db_t","arguments":{},"_meta":{"bartizan/correlation_id":"task-999"}})", ""},
      {"no tool", "tool.execute", "{}", "", "/params/tool_name"},
      {"an empty tool", "tool.execute", R"({"tool_name":""})", "", "/params/tool_name"},
      {"arguments in a list", "tool.execute", R"({"tool_name":"t","arguments":[]})", "",
       "/params/arguments"},
      {"an execution that is a number", "tool.execute", R"({"tool_name":"t","execution_id":1})", "",
       "/params/execution_id"},
      {"an execution with a line end", "tool.execute", R"({"tool_name":"t","execution_id":"a\nb"})",
       "", "/params/execution_id"},
      {"an execution that is too long", "tool.execute",
       R"({"tool_name":"t","execution_id":")" + std::string(129, 'x') + R"("})", "",
       "/params/execution_id"},
      {"another member", "tool.execute", R"({"tool_name":"t","name":"u"})", "",
       "no other members than"},
      {"another case", "tool.execute", R"({"Tool_name":"t"})", "", "no other members than"},
      {"params in a list", "tool.execute", "[]", "", "/params must be an object"},
      {"an inner call", "mcp.proxy",
       R"({"target_server":"pg","inner_request":{"jsonrpc":"2.0","method":"tools/call","id":50,)"
       R"("params":{"name":"q","arguments":{"sql":"x"}}}})",
       R"({"name":"db_pg.q","arguments":{"sql":"x"}})", ""},
      {"another inner method", "mcp.proxy",
       R"({"target_server":"pg","inner_request":{"jsonrpc":"2.0","method":"resources/read","id":1,)"
       R"("params":{}}})",
       "", "must be tools/call"},
      {"an inner notification", "mcp.proxy",
       R"({"target_server":"pg","inner_request":{"jsonrpc":"2.0","method":"tools/call",)"
       R"("params":{"name":"q"}}})",
       "", "a request of JSON-RPC"},
      {"another inner member", "mcp.proxy",
       R"({"target_server":"pg","inner_request":{"jsonrpc":"2.0","method":"tools/call","id":1,)"
       R"("result":{},"params":{"name":"q"}}})",
       "", "no other members than"},
      {"an inner call without a tool", "mcp.proxy",
       R"({"target_server":"pg","inner_request":{"jsonrpc":"2.0","method":"tools/call","id":1,)"
       R"("params":{}}})",
       "", "/params/inner_request/params/name"},
      {"no server", "mcp.proxy", R"({"inner_request":{}})", "", "/params/target_server"},
      {"no inner request", "mcp.proxy", R"({"target_server":"pg"})", "",
       "/params/inner_request must be an object"},
      {"a method of MCP", "tools/call", R"({"name":"t"})", "", "there are tool.execute"},
      {"a method of an agent", "agent.identify", "{}", "", "there are tool.execute"},
  };
  for (const auto& row : rows) {
    const std::string seen = read(request(row.method, row.params));
    if (row.fault.empty()) {
      const std::string call = R"({"jsonrpc":"2.0","id":"r","method":"tools/call","params":)" +
                               std::string(row.call) + "}";
      EXPECT_EQ(seen, row.method == "mcp.proxy" ? "50 " + call : call) << row.name;
    } else {
      EXPECT_TRUE(seen.starts_with("! ") && seen.contains(row.fault)) << row.name << ": " << seen;
    }
  }
}

TEST(FabricoreRequest, AddsMembersOfTheCall) {
  EXPECT_TRUE(read(request("tool.execute", R"({"tool_name":"t","execution_id":"e"})"), R"("a":1)")
                  .contains(R"("_meta":{"a":1,"bartizan/correlation_id":"e"})"));
  for (const std::string_view text :
       {R"({"jsonrpc":"2.0","method":"tool.execute","params":{"tool_name":"t"}})",
        R"({"id":1,"method":"tool.execute","params":{"tool_name":"t"}})",
        R"({"jsonrpc":"2.0","id":{},"method":"tool.execute","params":{"tool_name":"t"}})", "[]",
        "5"}) {
    EXPECT_TRUE(read(text).contains("a request of JSON-RPC")) << text;
  }
}

}  // namespace
}  // namespace bartizan
