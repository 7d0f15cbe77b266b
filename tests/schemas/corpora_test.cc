#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schemas/base/error_code.h"
#include "schemas/json/json.h"
#include "schemas/message/header_value.h"
#include "schemas/message/message.h"
#include "schemas/message/params_shape.h"
#include "schemas/message/tool_definition.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

/// The lines of a corpus file, each read as JSON; an unreadable line fails the test.
template <class Check>
void for_each_line(const std::filesystem::path& path, Check check) {
  JsonDocument document;
  for (const std::string& line : corpus_lines(path)) {
    const Bytes bytes(line);
    const Result<JsonValue> root = document.read(bytes, kResponseLimits);
    ASSERT_TRUE(root.has_value()) << line.substr(0, 80);
    check(*root);
  }
}

TEST(Corpora, JsonParsing) {
  const auto path = corpus_file("json-parsing/cases.jsonl");
  if (path.empty()) GTEST_SKIP() << "corpus json-parsing is absent";
  // RFC 8259 leaves repeated names open; the gateway refuses them.
  const std::set<std::string_view> deviations{"y_object_duplicated_key.json",
                                              "y_object_duplicated_key_and_value.json"};
  int accepted = 0;
  int refused = 0;
  for_each_line(path, [&](JsonValue row) {
    SCOPED_TRACE(row.find("id").text());
    const auto text = decode_base64(row.find("bytes_b64").text());
    ASSERT_TRUE(text.has_value());
    const Bytes bytes(*text);
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes);
    const std::string_view expected = row.find("expect").text();
    if (deviations.contains(row.find("id").text())) {
      ASSERT_FALSE(root.has_value());
      EXPECT_EQ(root.error().code, ErrorCode::json_duplicate_key);
    } else if (expected == "accept") {
      EXPECT_TRUE(root.has_value());
      ++accepted;
    } else if (expected == "reject") {
      ASSERT_FALSE(root.has_value());
      EXPECT_EQ(rpc_code(root.error().code), RpcCode::parse_error);
      ++refused;
    }
    if (!root) EXPECT_GE(root.error().offset, 0);
  });
  EXPECT_GT(accepted, 90);
  EXPECT_GT(refused, 180);
}

/// What a row of messages.jsonl comes to in this layer: `ok`, or the name of the error.
std::string_view verdict(std::string_view raw) {
  const Bytes bytes(raw);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  if (!root) return error_text(root.error().code);
  const Result<Message> message = parse_message(*root);
  if (!message) return error_text(message.error().code);
  const bool is_tool_call = message->known->id == MethodId::tools_call;
  if (is_tool_call && !is_tool_name(message->name.text())) return "no tool name";
  if (message->is_request() &&
      !is_supported(*message->known, ProtocolVersion::v2025_11_25, Direction::client_to_server)) {
    return "wrong direction";
  }
  return "ok";
}

TEST(Corpora, JsonRpcMessages) {
  const auto path = corpus_file("jsonrpc-mcp/messages.jsonl");
  if (path.empty()) GTEST_SKIP() << "corpus jsonrpc-mcp is absent";
  const std::map<std::string_view, std::string_view> expected{
      {"ok", "ok"},
      {"notif", "ok"},
      {"empty", "json_syntax"},
      {"batch-invalid", "invalid_request"},
      {"batch-mixed", "invalid_request"},
      {"no-version", "invalid_request"},
      {"v2num", "invalid_request"},
      {"params-str", "invalid_params"},
      {"id-null", "invalid_request"},
      {"id-big", "ok"},
      {"id-exp", "invalid_request"},
      {"both", "invalid_request"},
      {"dup-method", "json_duplicate_key"},
      {"dup-args", "json_duplicate_key"},
      {"case-method", "ambiguous_member"},
      {"fold-longs", "ambiguous_member"},
      {"nul-key", "invalid_params"},
      {"lone-surrogate", "json_encoding"},
      {"bom", "json_encoding"},
      {"two-docs", "json_trailing"},
      {"trailing-comma", "json_syntax"},
      {"nan", "json_syntax"},
      {"bigint", "ok"},
      {"raw-ctl", "json_syntax"},
      {"u-esc", "ok"},
      {"name-slash", "no tool name"},
      {"name-long", "invalid_params"},
      {"name-arr", "invalid_params"},
      {"server-init", "wrong direction"},
      // Whether `__proto__` is an argument is for the tool's input schema to say.
      {"proto", "ok"},
  };
  std::size_t seen = 0;
  for_each_line(path, [&](JsonValue row) {
    const std::string_view id = row.find("id").text();
    const auto want = expected.find(id);
    ASSERT_NE(want, expected.end()) << id;
    SCOPED_TRACE(id);
    EXPECT_EQ(verdict(row.find("raw").text()), want->second);
    ++seen;
  });
  EXPECT_EQ(seen, expected.size());
}

TEST(Corpora, NameHeaders) {
  const auto path = corpus_file("jsonrpc-mcp/http_headers.jsonl");
  if (path.empty()) GTEST_SKIP() << "corpus jsonrpc-mcp is absent";
  // The rows that a header's value alone decides; the rest is for the gateway.
  const std::map<std::string_view, bool> expected{{"ok", true},     {"name-mismatch", false},
                                                  {"b64-ok", true}, {"b64-bad", false},
                                                  {"ows", true},    {"pct", false}};
  std::size_t seen = 0;
  for_each_line(path, [&](JsonValue row) {
    const auto want = expected.find(row.find("id").text());
    if (want == expected.end()) return;
    SCOPED_TRACE(want->first);
    for (const JsonValue header : row.find("headers")) {
      if (header.at_pointer("/0").text() != "Mcp-Name") continue;
      const auto decoded = decode_header_value(header.at_pointer("/1").text());
      const bool is_equal = decoded && header_equals(*decoded, row.at_pointer("/body/params/name"));
      EXPECT_EQ(is_equal, want->second);
      ++seen;
    }
  });
  EXPECT_EQ(seen, expected.size());
}

TEST(Corpora, McpExamples) {
  const auto path = corpus_file("mcp-schema/examples.jsonl");
  if (path.empty()) GTEST_SKIP() << "corpus mcp-schema is absent";
  int messages = 0;
  int tools = 0;
  for_each_line(path, [&](JsonValue row) {
    SCOPED_TRACE(row.find("name").text());
    const JsonValue value = row.find("value");
    const Bytes bytes(value.raw());
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes);
    ASSERT_TRUE(root.has_value());
    if (root->find("jsonrpc")) {
      const Result<Message> message = parse_message(*root);
      ASSERT_TRUE(message.has_value()) << message.error().detail;
      if (!message->is_answer()) {
        const auto version = parse_protocol_version(row.find("version").text());
        const auto flaw = find_params_flaw(*message, version.value());
        EXPECT_FALSE(flaw.has_value()) << flaw->pointer;
      }
      ++messages;
    }
    if (row.find("type").text() == "Tool") {
      EXPECT_TRUE(read_tool_definition(*root).has_value());
      ++tools;
    }
  });
  EXPECT_GE(messages, 32);
  EXPECT_GE(tools, 1);
}

}  // namespace
}  // namespace bartizan
