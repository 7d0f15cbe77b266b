#include "gateway/dialect/fabricore_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

const FabricoreRequest kExecute{};
const FabricoreRequest kProxy{.method = FabricoreRequest::Method::proxy, .inner_id = "50"};

std::string answer(std::string_view rest) {
  return R"({"jsonrpc":"2.0","id":"r",)" + std::string(rest) + "}";
}

TEST(FabricoreAnswer, IsWrittenInTheMembersOfTheDocument) {
  const struct {
    std::string_view name, mcp;
    const FabricoreRequest& request;
    std::string_view want;  ///< From `result` or `error` on.
    int status;
  } rows[] = {
      {"what the agent said",
       R"("result":{"content":[{"type":"text","text":"ok"}],"structuredContent":{"status":"success","output":"ok"}})",
       kExecute, R"("result":{"status":"success","output":"ok"})", 200},
      {"texts alone",
       R"("result":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})", kExecute,
       R"("result":{"status":"success","output":"a\nb"})", 200},
      {"texts of a failure", R"("result":{"isError":true,"content":[{"type":"text","text":"a"}]})",
       kExecute, R"("result":{"status":"error","output":"a"})", 200},
      {"an inner answer", R"("result":{"content":[]})", kProxy,
       R"("result":{"jsonrpc":"2.0","id":50,"result":{"content":[]}})", 200},
      {"a refusal of policy",
       R"("error":{"code":-32003,"message":"Not permitted.","data":{"reason":"forbidden","policy_rule":"r","remediation":"ask"}})",
       kExecute,
       R"("error":{"code":-32003,"message":"Security Violation: Not permitted.","data":{"source":"gateway","policy_rule":"r","reason":"forbidden","remediation":"ask"}})",
       403},
      {"a refusal that names no rule",
       R"("error":{"code":-32600,"message":"No.","data":{"reason":"no_matching_rule"}})", kExecute,
       R"("error":{"code":-32003,"message":"Security Violation: No.","data":{"source":"gateway","policy_rule":"no_matching_rule","reason":"no_matching_rule"}})",
       403},
      {"a refusal of arguments",
       R"("error":{"code":-32602,"message":"No.","data":{"reason":"path_outside_root"}})", kExecute,
       R"("error":{"code":-32602,"message":"No.","data":{"source":"gateway","policy_rule":"path_outside_root","reason":"path_outside_root"}})",
       400},
      {"a refusal as a result",
       R"("result":{"isError":true,"content":[{"type":"text","text":"No."}],"_meta":{"bartizan/denial":{"reason":"forbidden"}}})",
       kExecute,
       R"("error":{"code":-32003,"message":"Security Violation: No.","data":{"source":"gateway","policy_rule":"forbidden","reason":"forbidden"}})",
       403},
      {"a limit", R"("error":{"code":-32603,"message":"Later.","data":{"reason":"limited"}})",
       kExecute,
       R"("error":{"code":-32603,"message":"Later.","data":{"source":"gateway","policy_rule":"limited","reason":"limited"}})",
       429},
      {"a tool that is not there",
       R"("error":{"code":-32602,"message":"No.","data":{"reason":"tool_unknown"}})", kExecute,
       R"("error":{"code":-32602,"message":"No.","data":{"source":"gateway","policy_rule":"tool_unknown","reason":"tool_unknown"}})",
       404},
      {"an agent that dies",
       R"("error":{"code":-32603,"message":"No.","data":{"reason":"server_failed"}})", kExecute,
       R"("error":{"code":-32603,"message":"No.","data":{"source":"gateway","policy_rule":"server_failed","reason":"server_failed"}})",
       502},
      {"a code of MCP's own",
       R"("error":{"code":40300,"message":"No.","data":{"reason":"sql_not_allowed"}})", kExecute,
       R"("error":{"code":-32602,"message":"No.","data":{"source":"gateway","policy_rule":"sql_not_allowed","reason":"sql_not_allowed"}})",
       400},
      {"an agent that is away",
       R"("error":{"code":-32603,"message":"No.","data":{"reason":"server_unavailable"}})",
       kExecute,
       R"("error":{"code":-32603,"message":"No.","data":{"source":"gateway","policy_rule":"server_unavailable","reason":"server_unavailable"}})",
       503},
      {"a refusal of the agent's",
       R"("error":{"code":-32003,"message":"Security Violation: x","data":{"agent":{"policy_rule":"p","remediation":"q"}}})",
       kExecute,
       R"("error":{"code":-32003,"message":"Security Violation: x","data":{"source":"agent","policy_rule":"p","remediation":"q"}})",
       403},
      {"an agent that would be the gateway",
       R"("error":{"code":-32003,"message":"x","data":{"agent":{"source":"gateway","reason":"forbidden"}}})",
       kExecute,
       R"("error":{"code":-32003,"message":"x","data":{"source":"agent","reason":"forbidden"}})",
       403},
      {"an error whose code is 0", R"("error":{"code":0,"message":"x","data":{"agent":{}}})",
       kExecute, R"("error":{"code":0,"message":"x","data":{"source":"agent"}})", 400},
      {"data that is not an object", R"("error":{"code":1,"message":"x","data":{"agent":[1,2]}})",
       kExecute, R"("error":{"code":1,"message":"x","data":{"source":"agent","value":[1,2]}})",
       400},
      {"an error of the agent's without more",
       R"("error":{"code":-32603,"message":"x","data":{"agent":{}}})", kExecute,
       R"("error":{"code":-32603,"message":"x","data":{"source":"agent"}})", 502},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(write_fabricore_answer(answer(row.mcp), row.request), answer(row.want));
    EXPECT_EQ(write_fabricore_response(answer(row.mcp), row.request).status, row.status);
  }
}

TEST(FabricoreAnswer, StaysAsItIsWhereItIsNone) {
  const std::string progress = R"({"jsonrpc":"2.0","method":"notifications/progress"})";
  EXPECT_EQ(write_fabricore_answer(progress, kExecute), progress);
  EXPECT_EQ(write_fabricore_response(progress, kExecute).status, 502);
}

}  // namespace
}  // namespace bartizan
