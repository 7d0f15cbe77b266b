#include "schemas/message/write_message.h"

#include <gtest/gtest.h>

#include "schemas/message/message.h"

namespace bartizan {
namespace {

TEST(WriteMessage, EncodesWhatParseMessageReads) {
  const struct {
    std::string_view name;
    std::string message;
    std::string_view want;
    MessageKind kind;
  } cases[] = {
      {"a result", write_result("7", R"({"tools":[]})"),
       R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})", MessageKind::response},
      {"an error", write_error(R"("a")", -32601, "no \"x\""),
       R"({"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no \"x\""}})",
       MessageKind::error_response},
      {"an error with data", write_error("1", -32022, "no", R"({"supported":[]})"),
       R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":[]}}})",
       MessageKind::error_response},
      {"an error to nobody", write_error("", -32700, "no"),
       R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})", MessageKind::error_response},
      {"a request", write_request("1", "tools/list", R"({"cursor":"c"})"),
       R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"c"}})",
       MessageKind::request},
      {"a request without params", write_request("1", "tools/list"),
       R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", MessageKind::request},
      {"a notification", write_notification("notifications/initialized"),
       R"({"jsonrpc":"2.0","method":"notifications/initialized"})", MessageKind::notification},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.message, c.want);
    const Bytes bytes(std::string_view(c.message));
    const Result<Message> message = parse_message(document.read(bytes).value());
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->kind, c.kind);
  }
}

}  // namespace
}  // namespace bartizan
