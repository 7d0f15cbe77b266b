#include "schemas/message/era_translation.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/schemas/json_text.h"

namespace bartizan {
namespace {

Message message_of(const JsonText& text) {
  const Result<Message> message = parse_message(text.root);
  EXPECT_TRUE(message.has_value()) << text.root.raw();
  return message.value_or(Message());
}

std::string spliced(std::string_view bytes, std::vector<Splice> splices) {
  sort_splices(splices);
  std::string out;
  append_spliced(out, bytes, splices);
  return out;
}

std::string request(std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)";
  text += params;
  return text + "}";
}

constexpr std::string_view kVersion = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";

TEST(EraTranslation, LegacyRequestsClaimTheModernEra) {
  const std::string claim =
      std::string(kVersion) + R"(,"io.modelcontextprotocol/clientCapabilities":{"roots":{}})";
  const struct {
    std::string_view name;
    std::string_view params;
    std::string want;
  } cases[] = {
      {"without _meta", R"({"name":"a"})", R"({"_meta":{)" + claim + R"(},"name":"a"})"},
      {"an empty one", R"({"name":"a","_meta":{}})", R"({"name":"a","_meta":{)" + claim + "}}"},
      {"a token stays", R"({"_meta": {"progressToken":3},"name":"a"})",
       R"({"_meta": {)" + claim + R"(,"progressToken":3},"name":"a"})"},
      {"what the client claims itself is cut",
       R"({"inputResponses":{"r":1},"name":"a","requestState":"s","_meta":{)"
       R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}},)"
       R"("io.modelcontextprotocol/logLevel":"debug"}})",
       R"({"name":"a","_meta":{)" + claim + "}}"},
      {"and the rest of _meta stays",
       R"({"name":"a","_meta":{"io.modelcontextprotocol/clientInfo":{},"x":1}})",
       R"({"name":"a","_meta":{)" + claim + R"(,"x":1}})"},
      {"arguments called so stay", R"({"arguments":{"_meta":{}},"name":"a"})",
       R"({"_meta":{)" + claim + R"(},"arguments":{"_meta":{}},"name":"a"})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string bytes = request(c.params);
    const JsonText text(bytes);
    const ModernClaim said{.capabilities = R"({"roots":{}})"};
    std::vector<Splice> splices = leave_modern_era(message_of(text));
    splices.push_back(claim_modern_era(message_of(text), said));
    EXPECT_EQ(spliced(bytes, splices), request(c.want));
  }
  const std::string bytes = request(R"({"name":"a"})");
  const JsonText text(bytes);
  const std::string all = spliced(
      bytes, {claim_modern_era(message_of(text), {.capabilities = "{}",
                                                  .client_info = R"({"name":"c","version":"1"})",
                                                  .log_level = "info"})});
  EXPECT_TRUE(all.contains(R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"})"));
  EXPECT_TRUE(all.contains(R"("io.modelcontextprotocol/logLevel":"info")"));
}

TEST(EraTranslation, ModernRequestsLeaveTheModernEra) {
  const std::string reserved =
      std::string(kVersion) + R"(,"io.modelcontextprotocol/clientCapabilities":{})";
  const struct {
    std::string_view name;
    std::string params;
    std::string_view want;
  } cases[] = {
      {"nothing of it", R"({"name":"a","_meta":{"x":1}})", R"({"name":"a","_meta":{"x":1}})"},
      {"all of _meta", R"({"name":"a","_meta":{)" + reserved + "}}", R"({"name":"a","_meta":{}})"},
      {"first", R"({"_meta":{)" + reserved + R"(, "progressToken":1},"name":"a"})",
       R"({"_meta":{"progressToken":1},"name":"a"})"},
      {"last", R"({"_meta":{"progressToken":1,)" + reserved + R"(},"name":"a"})",
       R"({"_meta":{"progressToken":1},"name":"a"})"},
      {"around",
       R"({"_meta":{)" + std::string(kVersion) + R"(,"x":1,)" +
           R"("io.modelcontextprotocol/logLevel":"info","y":2},"name":"a"})",
       R"({"_meta":{"x":1,"y":2},"name":"a"})"},
      {"answers and state",
       R"({"inputResponses":{"k":{}},"name":"a","requestState":"s","arguments":{"requestState":1}})",
       R"({"name":"a","arguments":{"requestState":1}})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string bytes = request(c.params);
    const JsonText text(bytes);
    EXPECT_EQ(spliced(bytes, leave_modern_era(message_of(text))), request(c.want));
  }
}

TEST(EraTranslation, ARequestThereAndBackIsTheSame) {
  for (const std::string_view params :
       {R"({"name":"a"})", R"({"name":"a","_meta":{"progressToken":"t","traceparent":"x"}})",
        R"({"_meta":{"a":[1,{"b":2}]},"name":"a","arguments":{"x":null}})"}) {
    const std::string bytes = request(params);
    const JsonText text(bytes);
    const std::string there = spliced(bytes, {claim_modern_era(message_of(text), {})});
    const JsonText other(there);
    const std::string back = spliced(there, leave_modern_era(message_of(other)));
    const bool had_meta = params.contains("_meta");
    EXPECT_EQ(back, had_meta ? bytes : request(R"({"_meta":{},"name":"a"})"));
  }
}

TEST(EraTranslation, Results) {
  const struct {
    std::string_view modern;
    std::string_view legacy;
  } cases[] = {
      {R"({"resultType":"complete","content":[]})", R"({"content":[]})"},
      {R"({"content":[],"structuredContent":{"a":1}})",
       R"({"content":[],"structuredContent":{"a":1}})"},
      {R"({"content":[],"structuredContent":[1]})", R"({"content":[]})"},
      {R"({"content":[],"structuredContent":null,"isError":true})",
       R"({"content":[],"isError":true})"},
      {R"({"contents":[],"ttlMs":5,"cacheScope":"public"})", R"({"contents":[]})"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(legacy_result(JsonText(c.modern).root), c.legacy);
  EXPECT_EQ(modern_result(JsonText(R"({"content":[]})").root, MethodId::tools_call),
            R"({"content":[],"resultType":"complete"})");
  EXPECT_EQ(modern_result(JsonText(R"({"contents":[]})").root, MethodId::resources_read),
            R"({"contents":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"})");
  EXPECT_EQ(modern_result(JsonText(R"({"resultType":"task"})").root, MethodId::tools_call),
            R"({"resultType":"complete"})")
      << "a legacy server has no such member";
}

TEST(EraTranslation, ResultKinds) {
  using enum ResultKind;
  EXPECT_EQ(result_kind(JsonText("{}").root), complete);
  EXPECT_EQ(result_kind(JsonText(R"({"resultType":"complete"})").root), complete);
  EXPECT_EQ(result_kind(JsonText(R"({"resultType":"input_required"})").root), input_required);
  EXPECT_EQ(result_kind(JsonText(R"({"resultType":"task"})").root), unknown);
  EXPECT_EQ(result_kind(JsonText(R"({"resultType":1})").root), unknown);
}

TEST(EraTranslation, Errors) {
  const struct {
    std::string_view name;
    std::string_view modern;
    MethodId method;
    std::string_view legacy;
  } to_legacy[] = {
      {"any", R"({"code":-32603,"message":"m"})", MethodId::tools_call,
       R"({"code":-32603,"message":"m"})"},
      {"a header", R"({"code":-32020,"message":"m"})", MethodId::tools_call,
       R"({"code":-32603,"message":"the server refused how the gateway spoke to it: m"})"},
      {"a capability", R"({"code":-32021,"message":"m","data":{}})", MethodId::tools_call,
       R"({"code":-32603,"message":"the server refused how the gateway spoke to it: m"})"},
      {"no resource", R"({"code":-32602,"message":"m","data":{"uri":"a:b"}})",
       MethodId::resources_read, R"({"code":-32002,"message":"m","data":{"uri":"a:b"}})"},
      {"the same of a tool", R"({"code":-32602,"message":"m","data":{"uri":"a:b"}})",
       MethodId::tools_call, R"({"code":-32602,"message":"m","data":{"uri":"a:b"}})"},
  };
  for (const auto& c : to_legacy)
    EXPECT_EQ(legacy_error(JsonText(c.modern).root, c.method), c.legacy) << c.name;
  EXPECT_EQ(modern_error(JsonText(R"({"code":-32002,"message":"m"})").root, "a:b"),
            R"({"code":-32602,"message":"m","data":{"uri":"a:b"}})");
  EXPECT_EQ(modern_error(JsonText(R"({"code":-32601,"message":"m"})").root, "a:b"),
            R"({"code":-32601,"message":"m"})");
}

TEST(EraTranslation, UrlsThatUsersAreSentToFirst) {
  EXPECT_EQ(required_urls(JsonText(R"({"code":-32042,"message":"m","data":{"elicitations":[)"
                                   R"({"mode":"url","elicitationId":"1","url":"https://a",)"
                                   R"("message":"sign in"}]}})")
                              .root),
            R"({"url1":{"method":"elicitation/create","params":{"mode":"url",)"
            R"("message":"sign in","url":"https://a"}}})");
  EXPECT_EQ(required_urls(JsonText(R"({"code":-32042,"message":"m"})").root), std::nullopt);
  EXPECT_EQ(required_urls(JsonText(R"({"code":-32000,"message":"m"})").root), std::nullopt);
}

}  // namespace
}  // namespace bartizan
