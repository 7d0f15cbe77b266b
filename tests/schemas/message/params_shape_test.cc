#include "schemas/message/params_shape.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/bytes.h"
#include "tests/schemas/published_schema.h"

namespace bartizan {
namespace {

using enum ProtocolVersion;

/// "" where they are as published, else the kind and the place of what is wrong.
std::string flaw_of(std::string_view method, std::string_view params, ProtocolVersion version) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (!method.starts_with("notifications/")) text += R"("id":1,)";
  text.append("\"method\":\"").append(method).append("\"");
  if (!params.empty()) text.append(",\"params\":").append(params);
  const Bytes bytes(text + "}");
  JsonDocument document;
  const Result<Message> message = parse_message(document.read(bytes).value());
  if (!message.has_value()) return "unread " + message.error().detail;
  const auto flaw = find_params_flaw(*message, version);
  if (!flaw.has_value()) return "";
  constexpr std::array kKinds{"misfit ", "folded ", "other_target ", "too_costly "};
  return kKinds.at(static_cast<std::size_t>(flaw->kind)) + flaw->pointer;
}

/// With the members of `_meta` that the stateless revision requires.
std::string params_in(ProtocolVersion version, std::string_view members) {
  std::string params = "{";
  if (era(version) == Era::modern) {
    params += R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{}})";
    if (!members.empty()) params += ',';
  }
  return params.append(members) + "}";
}

TEST(ParamsShape, HoldsMethodsOfAllRevisions) {
  const struct {
    std::string_view name, method, members, want;
    ProtocolVersion first = v2024_11_05, last = v2026_07_28;
  } cases[] = {
      {"a prompt", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"})", ""},
      {"a resource", "completion/complete",
       R"("ref":{"type":"ref/resource","uri":"u"},"argument":{"name":"a","value":"v"})", ""},
      {"a title", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p","title":"P"},"argument":{"name":"a","value":"v"})",
       ""},
      {"no type", "completion/complete",
       R"("ref":{"name":"p","uri":"u"},"argument":{"name":"a","value":"v"})", "misfit /ref"},
      {"an unknown type", "completion/complete",
       R"("ref":{"type":"ref/tool","name":"p"},"argument":{"name":"a","value":"v"})",
       "misfit /ref"},
      {"a list for a type", "completion/complete",
       R"("ref":{"type":["ref/prompt"],"name":"p"},"argument":{"name":"a","value":"v"})",
       "misfit /ref"},
      {"a prompt with a URI", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p","uri":"u"},"argument":{"name":"a","value":"v"})",
       "other_target /ref/uri"},
      {"a resource with a name", "completion/complete",
       R"("ref":{"type":"ref/resource","uri":"u","name":"p"},"argument":{"name":"a","value":"v"})",
       "other_target /ref/name"},
      {"a member of ref that nobody knows", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p","tool":"t"},"argument":{"name":"a","value":"v"})",
       "other_target /ref/*"},
      {"a folded type", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p","Type":"x"},"argument":{"name":"a","value":"v"})",
       "folded /ref/*"},
      {"a folded URI", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p","URI":"u"},"argument":{"name":"a","value":"v"})",
       "folded /ref/*"},
      {"a folded name of an argument", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v","Name":"b"})",
       "folded /argument/*"},
      {"no argument", "completion/complete", R"("ref":{"type":"ref/prompt","name":"p"})",
       "misfit "},
      {"arguments known already", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},)"
       R"("context":{"arguments":{"Name":"x","name":"y"}})",
       "", v2025_06_18},
      {"one of them is not a text", "completion/complete",
       R"("ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},)"
       R"("context":{"arguments":{"n":1}})",
       "misfit /context/arguments/*", v2025_06_18},
      {"a call", "tools/call", R"("name":"t","arguments":{"Name":"x","URI":1,"name":2})", ""},
      {"a call of later members", "tools/call", R"("name":"t","extension":{"a":1})", ""},
      {"a call that also has a URI", "tools/call", R"("name":"t","uri":"u")", "other_target /*"},
      {"a call as a task", "tools/call", R"("name":"t","task":{"ttl":60000})", "", v2025_11_25,
       v2025_11_25},
      {"a task with a text for its time", "tools/call", R"("name":"t","task":{"ttl":"1"})",
       "misfit /task/ttl", v2025_11_25, v2025_11_25},
      {"answers to questions", "tools/call",
       R"("name":"t","inputResponses":{"a":{"action":"accept","content":{"n":1.5,"N":true}}})", "",
       v2026_07_28},
      {"an answer with a folded action", "tools/call",
       R"("name":"t","inputResponses":{"a":{"action":"decline","Action":"accept"}})",
       "folded /inputResponses/*", v2026_07_28},
      {"an answer with fields named as other answers' members", "tools/call",
       R"("name":"t","inputResponses":{"a":{"action":"accept","content":{"Name":"n","Type":"t"}}})",
       "", v2026_07_28},
      {"an answer with a member of a wrong type", "tools/call",
       R"("name":"t","inputResponses":{"a":{"action":"maybe"}})", "misfit /inputResponses/*",
       v2026_07_28},
      {"an answer of no shape", "tools/call", R"("name":"t","inputResponses":{"a":[]})",
       "misfit /inputResponses/*", v2026_07_28},
      {"reading", "resources/read", R"("uri":"u")", ""},
      {"reading what has a name too", "resources/read", R"("uri":"u","name":"p")",
       "other_target /*"},
      {"a prompt's arguments", "prompts/get", R"("name":"p","arguments":{"a":"b"})", ""},
      {"a prompt's argument that is not a text", "prompts/get",
       R"("name":"p","arguments":{"a":[]})", "misfit /arguments/*"},
      {"a list", "tools/list", "", ""},
      {"a page of it", "tools/list", R"("cursor":"c")", ""},
      {"a list with members of the gateway's", "tools/list", R"("category":"c","trust_level":"t")",
       ""},
      {"a level", "logging/setLevel", R"("level":"debug")", "", v2024_11_05, v2025_11_25},
      {"a level of no name", "logging/setLevel", R"("level":"loud")", "misfit /level", v2024_11_05,
       v2025_11_25},
      {"listening", "subscriptions/listen",
       R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["u"]})", "",
       v2026_07_28},
      {"listening to a folded list", "subscriptions/listen",
       R"("notifications":{"ResourceSubscriptions":["u"]})", "folded /notifications/*",
       v2026_07_28},
      {"listening to what nobody knows", "subscriptions/listen",
       R"("notifications":{"toolCalls":["t"]})", "other_target /notifications/*", v2026_07_28},
      {"listening to a text for a list", "subscriptions/listen",
       R"("notifications":{"resourceSubscriptions":"u"})",
       "misfit /notifications/resourceSubscriptions", v2026_07_28},
      {"a task", "tasks/get", R"("taskId":"t")", "", v2025_11_25, v2025_11_25},
      {"a task of no text", "tasks/get", R"("taskId":7)", "misfit /taskId", v2025_11_25,
       v2025_11_25},
      {"a cancellation", "notifications/cancelled", R"("requestId":1,"reason":"r")", ""},
      {"a cancellation of no text", "notifications/cancelled", R"("requestId":1,"reason":2)",
       "misfit /reason"},
      {"progress", "notifications/progress", R"("progressToken":1,"progress":0.5)", "", v2024_11_05,
       v2025_11_25},
      {"metadata of anybody's", "tools/list", R"("cursor":"c")", ""},
      {"a handshake", "initialize",
       R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"})",
       "", v2024_11_05, v2025_11_25},
      {"an old client's handshake", "initialize", R"("protocolVersion":"2024-11-05")", "",
       v2024_11_05, v2025_11_25},
      {"a client without a version", "initialize",
       R"("protocolVersion":"2025-11-25","clientInfo":{"name":"a"})", "", v2024_11_05, v2025_11_25},
      {"a handshake with a folded name", "initialize",
       R"("protocolVersion":"2025-11-25","clientInfo":{"name":"a","Name":"b"})",
       "folded /clientInfo/*", v2024_11_05, v2025_11_25},
      {"a handshake of another shape", "initialize",
       R"("protocolVersion":"2025-11-25","capabilities":[])", "misfit /capabilities", v2024_11_05,
       v2025_11_25},
      {"an unknown method", "tools/rename", R"("name":1)", ""},
  };
  for (const auto& c : cases) {
    for (const ProtocolVersion version : kProtocolVersions) {
      if (version < c.first || version > c.last) continue;
      SCOPED_TRACE(std::string(c.name) + " in " + std::string(text(version)));
      EXPECT_EQ(flaw_of(c.method, params_in(version, c.members), version), c.want);
    }
  }
}

TEST(ParamsShape, LeavesMetaOpen) {
  constexpr std::string_view kMeta =
      R"({"_meta":{"progressToken":"t","com.example/x":{"a":1},"note":[1]}})";
  for (const ProtocolVersion version : {v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25}) {
    EXPECT_EQ(flaw_of("tools/list", kMeta, version), "");
    EXPECT_EQ(flaw_of("ping", kMeta, version), "");
    EXPECT_EQ(flaw_of("ping", "", version), "");
  }
  EXPECT_EQ(flaw_of("tools/list", params_in(v2026_07_28, R"("cursor":"c")"), v2026_07_28), "");
  EXPECT_EQ(flaw_of("server/discover", params_in(v2026_07_28, ""), v2026_07_28), "");
}

/// Every method that a client may send has a shape: none is about a name and a URI at once.
TEST(ParamsShape, KnowsEveryPublishedMethod) {
  for (const ProtocolVersion version : kProtocolVersions) {
    const Bytes bytes(published_schema(version));
    JsonDocument document;
    const JsonValue schema = document.read(bytes, kResponseLimits).value();
    std::size_t count = 0;
    for (const JsonValue type : published_types(schema)) {
      const JsonValue members = type.find("properties");
      const std::string_view method = members.find("method").find("const").text();
      if (method.empty() || !members.find("params")) continue;
      if (!find_method(method).from_client) continue;
      SCOPED_TRACE(std::string(method) + " in " + std::string(text(version)));
      ++count;
      const std::string flaw = flaw_of(
          method, R"({"name":"n","uri":"u","progressToken":1,"requestId":1,"arguments":{}})",
          version);
      EXPECT_FALSE(flaw.empty());
    }
    EXPECT_GE(count, 13U);
  }
}

TEST(ParamsShape, FindsFoldedMembersOfAnswers) {
  const struct {
    std::string_view result, want;
  } cases[] = {
      {R"({"action":"accept","content":{"Name":"a","name":"b","Action":1}})", ""},
      {R"({"action":"decline","Action":"accept"})", "Action"},
      {R"({"Content":{},"action":"accept"})", "Content"},
      {R"({"roots":[{"uri":"file:///a","URI":"file:///b"}]})", "URI"},
      {R"({"role":"assistant","model":"m","content":{"type":"text","text":"t","Text":"u"}})",
       "Text"},
      {R"({"other":{"Model":1}})", ""},
      {R"({})", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.result);
    const Bytes bytes(c.result);
    JsonDocument document;
    EXPECT_EQ(find_folded_in_answer(document.read(bytes).value()).key(), c.want);
  }
}

}  // namespace
}  // namespace bartizan
