#include <gtest/gtest.h>

#include <string>

#include "schemas/base/error_code.h"
#include "schemas/message/message.h"
#include "schemas/message/protocol_member.h"
#include "tests/schemas/published_schema.h"

namespace bartizan {
namespace {

constexpr std::string_view kOk = "ok";
constexpr std::string_view kRequest = "invalid_request";
constexpr std::string_view kParams = "invalid_params";
constexpr std::string_view kAmbiguous = "ambiguous_member";

/// `ok`, or the name of the error.
std::string_view verdict(std::string_view text) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<Message> message = parse_message(document.read(bytes, kResponseLimits).value());
  return message ? kOk : error_text(message.error().code);
}

std::string call(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":)" +
         std::string(params) + "}";
}

std::string notification(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"(","params":)" +
         std::string(params) + "}";
}

std::string with_id(std::string_view id) {
  return R"({"jsonrpc":"2.0","method":"ping","id":)" + std::string(id) + "}";
}

std::string quoted(std::size_t size) {
  return '"' + std::string(size, 'x') + '"';
}

TEST(ParseMessage, HoldsToTheEnvelope) {
  const struct {
    std::string_view name;
    std::string text;
    std::string_view want;
  } cases[] = {
      {"a request", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", kOk},
      {"a notification", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", kOk},
      {"an unknown method", R"({"jsonrpc":"2.0","id":1,"method":"vendor/x"})", kOk},
      {"an unknown notification", R"({"jsonrpc":"2.0","method":"vendor/x"})", kOk},
      {"a member that JSON-RPC does not have",
       R"({"jsonrpc":"2.0","id":1,"method":"ping","x-trace":1})", kRequest},
      {"such a member of a notification", R"({"jsonrpc":"2.0","method":"vendor/x","uri":"u"})",
       kRequest},
      {"such a member of an answer", R"({"jsonrpc":"2.0","id":1,"result":{},"x-trace":1})", kOk},
      {"an array", "[1]", kRequest},
      {"a string", R"("x")", kRequest},
      {"an empty object", "{}", kRequest},
      {"no jsonrpc", R"({"id":1,"method":"ping"})", kRequest},
      {"another jsonrpc", R"({"jsonrpc":"1.0","id":1,"method":"ping"})", kRequest},
      {"a number as jsonrpc", R"({"jsonrpc":2.0,"id":1,"method":"ping"})", kRequest},
      {"a method and a result", R"({"jsonrpc":"2.0","id":1,"method":"ping","result":{}})",
       kRequest},
      {"a method and an error",
       R"({"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":""}})", kRequest},
      {"a method of another type", R"({"jsonrpc":"2.0","id":1,"method":1})", kRequest},
      {"an empty method", R"({"jsonrpc":"2.0","id":1,"method":""})", kRequest},
      {"a method with a NUL", R"({"jsonrpc":"2.0","id":1,"method":"ping\u0000"})", kRequest},
      {"the longest method", R"({"jsonrpc":"2.0","id":1,"method":)" + quoted(256) + "}", kOk},
      {"too long a method", R"({"jsonrpc":"2.0","id":1,"method":)" + quoted(257) + "}", kRequest},
      {"a notification with an id",
       R"({"jsonrpc":"2.0","id":1,"method":"notifications/initialized"})", kRequest},
      {"a request without an id", R"({"jsonrpc":"2.0","method":"tools/list"})", kRequest},
      {"neither", R"({"jsonrpc":"2.0","id":1})", kRequest},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(c.text), c.want);
  }
}

TEST(ParseMessage, WantsIdsThatSurviveAnEcho) {
  const struct {
    std::string_view name;
    std::string id;
    std::string_view want;
  } cases[] = {
      {"an integer", "1", kOk},
      {"zero", "0", kOk},
      {"a negative integer", "-1", kOk},
      {"beyond a double", "9007199254740993", kOk},
      {"beyond u64, from a server", "18446744073709551616", kOk},
      {"a string", R"("a")", kOk},
      {"the longest string", quoted(256), kOk},
      {"too long a string", quoted(257), kRequest},
      {"too long an integer", std::string(257, '1'), kRequest},
      {"null", "null", kRequest},
      {"a fraction", "1.5", kRequest},
      {"a fraction of zero", "1.0", kRequest},
      {"an exponent", "1e2", kRequest},
      {"a boolean", "true", kRequest},
      {"an array", "[1]", kRequest},
      {"an object", "{}", kRequest},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(with_id(c.id)), c.want);
    const Bytes bytes(with_id(c.id));
    JsonDocument document;
    const JsonValue id = readable_id(document.read(bytes, kResponseLimits).value());
    EXPECT_EQ(id.raw(), c.want == kOk ? c.id : "");
  }
}

TEST(ParseMessage, ReadsAnswers) {
  const struct {
    std::string_view name;
    std::string_view text;
    std::string_view want;
  } cases[] = {
      {"a result", R"({"jsonrpc":"2.0","id":1,"result":{}})", kOk},
      {"a result without id", R"({"jsonrpc":"2.0","result":{}})", kRequest},
      {"a result with id null", R"({"jsonrpc":"2.0","id":null,"result":{}})", kRequest},
      {"a result that is not an object", R"({"jsonrpc":"2.0","id":1,"result":[]})", kRequest},
      {"a result with _meta null", R"({"jsonrpc":"2.0","id":1,"result":{"_meta":null}})", kOk},
      {"a result with _meta of another type", R"({"jsonrpc":"2.0","id":1,"result":{"_meta":1}})",
       kParams},
      {"an error", R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}})", kOk},
      {"an error without id", R"({"jsonrpc":"2.0","error":{"code":1,"message":"x"}})", kOk},
      {"an error with id null", R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}})",
       kOk},
      {"an error with a broken id", R"({"jsonrpc":"2.0","id":[],"error":{"code":1,"message":""}})",
       kRequest},
      {"an error that is a string", R"({"jsonrpc":"2.0","id":1,"error":"x"})", kRequest},
      {"an error without code", R"({"jsonrpc":"2.0","id":1,"error":{"message":"x"}})", kRequest},
      {"an error with a fraction", R"({"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}})",
       kRequest},
      {"an error without message", R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})", kRequest},
      {"both", R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})", kRequest},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(c.text), c.want);
  }
}

TEST(ParseMessage, HoldsToTheParams) {
  const std::string long_name = R"({"name":)" + quoted(257) + "}";
  const std::string long_uri = R"({"uri":)" + quoted(8193) + "}";
  const std::string long_cursor = R"({"cursor":)" + quoted(4097) + "}";
  const struct {
    std::string_view name;
    std::string text;
    std::string_view want;
  } cases[] = {
      {"params is an array", call("tools/list", "[]"), kParams},
      {"params is a string", call("tools/list", R"("x")"), kParams},
      {"params is null", call("vendor/x", "null"), kParams},
      {"a tool call", call("tools/call", R"({"name":"t","arguments":{}})"), kOk},
      {"no arguments", call("tools/call", R"({"name":"t"})"), kOk},
      {"no params at all", R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", kParams},
      {"no name", call("tools/call", "{}"), kParams},
      {"an empty name", call("tools/call", R"({"name":""})"), kParams},
      {"a name in an array", call("tools/call", R"({"name":["t"]})"), kParams},
      {"a name with a NUL", call("tools/call", R"({"name":"t\u0000"})"), kParams},
      {"a name with a line break", call("tools/call", R"({"name":"t\n"})"), kParams},
      {"a name with a C1 control", call("tools/call", R"({"name":"t\u009b"})"), kParams},
      {"a name that is too long", call("tools/call", long_name), kParams},
      {"arguments in an array", call("tools/call", R"({"name":"t","arguments":[]})"), kParams},
      {"arguments that are null", call("tools/call", R"({"name":"t","arguments":null})"), kParams},
      {"a prompt", call("prompts/get", R"({"name":"p","arguments":{"a":"b"}})"), kOk},
      {"a prompt without name", call("prompts/get", "{}"), kParams},
      {"a resource", call("resources/read", R"({"uri":"file:///a"})"), kOk},
      {"a resource without URI", call("resources/read", "{}"), kParams},
      {"a URI of another type", call("resources/subscribe", R"({"uri":1})"), kParams},
      {"a URI with a tab", call("resources/unsubscribe", R"({"uri":"a:\tb"})"), kParams},
      {"a URI that is too long", call("resources/read", long_uri), kParams},
      {"an update without URI", notification("notifications/resources/updated", "{}"), kParams},
      {"a cursor", call("tools/list", R"({"cursor":"c"})"), kOk},
      {"a cursor of another type", call("prompts/list", R"({"cursor":1})"), kParams},
      {"a cursor that is too long", call("resources/list", long_cursor), kParams},
      {"names of a vendor's method are its own",
       call("vendor/x", R"({"name":1,"uri":2,"cursor":3,"arguments":4})"), kOk},
      {"_meta of another type", call("ping", R"({"_meta":[]})"), kParams},
      {"a progress token", call("ping", R"({"_meta":{"progressToken":"p"}})"), kOk},
      {"a progress token of another type", call("ping", R"({"_meta":{"progressToken":{}}})"),
       kParams},
      {"a progress token with a fraction", call("ping", R"({"_meta":{"progressToken":1.5}})"),
       kParams},
      {"a cancellation", notification("notifications/cancelled", R"({"requestId":"r"})"), kOk},
      {"a cancellation of a task", notification("notifications/cancelled", "{}"), kOk},
      {"a cancellation of an object",
       notification("notifications/cancelled", R"({"requestId":{}})"), kParams},
      {"progress", notification("notifications/progress", R"({"progressToken":1,"progress":1})"),
       kOk},
      {"progress of nothing", notification("notifications/progress", R"({"progress":1})"), kParams},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(c.text), c.want);
  }
}

TEST(ParseMessage, RefusesNamesThatFoldAlike) {
  const struct {
    std::string_view name;
    std::string text;
    std::string_view want;
  } cases[] = {
      {"Method", R"({"jsonrpc":"2.0","id":1,"method":"ping","Method":"x"})", kAmbiguous},
      {"only Method", R"({"jsonrpc":"2.0","id":1,"Method":"ping"})", kAmbiguous},
      {"paramſ", R"({"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}})", kAmbiguous},
      {"ıd", R"({"jsonrpc":"2.0","id":1,"method":"ping","\u0131d":2})", kAmbiguous},
      {"RESULT of an answer", R"({"jsonrpc":"2.0","id":1,"result":{},"RESULT":{}})", kAmbiguous},
      {"method and a NUL", R"({"jsonrpc":"2.0","id":1,"method":"ping","method\u0000x":"y"})",
       kAmbiguous},
      {"methods is another word", R"({"jsonrpc":"2.0","id":1,"result":{},"methods":1})", kOk},
      {"Name", call("tools/call", R"({"name":"t","Name":"u"})"), kAmbiguous},
      {"ARGUMENTS", call("tools/call", R"({"name":"t","ARGUMENTS":{}})"), kAmbiguous},
      {"requestid", notification("notifications/cancelled", R"({"requestid":1})"), kAmbiguous},
      {"task by the Kelvin sign", call("tools/call", R"({"name":"t","tas\u212a":{}})"), kAmbiguous},
      {"_Meta", call("ping", R"({"_Meta":{}})"), kAmbiguous},
      {"names of a tool's arguments are its own",
       call("tools/call", R"({"name":"t","arguments":{"Name":1,"NAME":2}})"), kOk},
      {"progresstoken", call("ping", R"({"_meta":{"progresstoken":1}})"), kAmbiguous},
      {"a reserved key in capitals",
       call("ping", R"({"_meta":{"IO.modelcontextprotocol/protocolVersion":"x"}})"), kAmbiguous},
      {"a vendor's key", call("ping", R"({"_meta":{"com.example/Trace":"x"}})"), kOk},
      {"a folded key in a result",
       R"({"jsonrpc":"2.0","id":1,"result":{"_meta":{"ProgressToken":1}}})", kAmbiguous},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict(c.text), c.want);
  }
}

TEST(ParseMessage, HandsOutWhatPolicyLooksAt) {
  const Bytes bytes(
      call("tools/call", R"({"name":"\u0074","arguments":{"a":1},"_meta":{"progressToken":7}})"));
  JsonDocument document;
  const Message message = parse_message(document.read(bytes).value()).value();
  EXPECT_TRUE(message.is_request());
  EXPECT_EQ(message.known->id, MethodId::tools_call);
  EXPECT_EQ(message.method, "tools/call");
  EXPECT_EQ(message.id.raw(), "1");
  EXPECT_EQ(message.name.text(), "t");
  EXPECT_EQ(message.arguments.raw(), R"({"a":1})");
  EXPECT_EQ(message.meta.size(), 1U);
  EXPECT_EQ(message.progress_token.integer(), 7);
  EXPECT_FALSE(message.uri);

  const Bytes cancelled(notification("notifications/cancelled", R"({"requestId":"r"})"));
  const Message second = parse_message(document.read(cancelled).value()).value();
  EXPECT_TRUE(second.is_notification());
  EXPECT_EQ(second.request_id.text(), "r");
  EXPECT_FALSE(second.id);

  const Bytes unread(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})");
  const Message third = parse_message(document.read(unread).value()).value();
  EXPECT_EQ(third.kind, MessageKind::error_response);
  EXPECT_EQ(third.known->id, MethodId::unknown);
  EXPECT_FALSE(third.id);
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return out;
}

TEST(ProtocolMember, KnowsThePublishedOnes) {
  std::size_t seen = 0;
  for (const ProtocolVersion version : kProtocolVersions) {
    const Bytes bytes(published_schema(version));
    JsonDocument document;
    const JsonValue root = document.read(bytes).value();
    for (const JsonValue type : published_types(root)) {
      if (!type.at_pointer("/properties/method")) continue;
      JsonValue params = type.at_pointer("/properties/params");
      const std::string_view reference = params.find("$ref").text();
      if (!reference.empty()) params = root.at_pointer(reference.substr(1));
      for (const JsonValue member : params.find("properties")) {
        SCOPED_TRACE(member.key());
        EXPECT_TRUE(is_ambiguous_member(upper(member.key()), MemberPlace::params));
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100U);
}

TEST(ProtocolMember, FoldsWithoutEnd) {
  EXPECT_FALSE(is_ambiguous_member("", MemberPlace::envelope));
  EXPECT_FALSE(is_ambiguous_member(std::string(100'000, 'M'), MemberPlace::params));
  EXPECT_FALSE(is_ambiguous_member("method", MemberPlace::envelope));
  EXPECT_TRUE(is_ambiguous_member("MODELPREFERENCES", MemberPlace::params));
  EXPECT_TRUE(
      is_ambiguous_member("IO.MODELCONTEXTPROTOCOL/MODEL-IMMEDIATE-RESPONSE", MemberPlace::meta));
  EXPECT_FALSE(is_ambiguous_member("\xC5", MemberPlace::envelope));
}

}  // namespace
}  // namespace bartizan
