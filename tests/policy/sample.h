#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "policy/access/access_table.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"
#include "schemas/message/message.h"

namespace bartizan {

inline void PrintTo(Reason reason, std::ostream* out) {
  *out << text(reason);
}

/// A call read from a message's text, together with the document that it views.
class SampleCall {
 public:
  explicit SampleCall(std::string_view text, Direction direction = Direction::client_to_server)
      : bytes_(text) {
    call.direction = direction;
    call.bytes = SealedBytes(Bytes(text));
    // Read from bytes that stay here, so that the views outlive a permit that takes the call's.
    const auto value = document_.read(bytes_);
    if (!value) throw std::invalid_argument(std::string(error_text(value.error().code)));
    const auto message = parse_message(*value);
    if (!message) throw std::invalid_argument(message.error().detail);
    call.message = *message;
  }
  SampleCall(const SampleCall&) = delete;
  SampleCall& operator=(const SampleCall&) = delete;

  Call call;

 private:
  JsonDocument document_;
  Bytes bytes_;
};

/// `tools/call` of `server/tool` with those arguments, or without any.
inline std::unique_ptr<SampleCall> sample_tool_call(std::string_view server, std::string_view tool,
                                                    std::string_view arguments = "{}") {
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")";
  text.append(server).append("_").append(tool).append("\"");
  if (!arguments.empty()) text.append(",\"arguments\":").append(arguments);
  text.append("}}");
  auto sample = std::make_unique<SampleCall>(text);
  sample->call.server = server;
  sample->call.target = tool;
  sample->call.target_kind = TargetKind::tool;
  return sample;
}

/// A tool with those schemas; without an output schema where that is empty.
inline ToolDefinition sample_tool(std::string_view input = R"({"type":"object"})",
                                  std::string_view output = {}) {
  std::string entry = R"({"name":"read_text","inputSchema":)" + std::string(input);
  if (!output.empty()) entry.append(",\"outputSchema\":").append(output);
  const Bytes bytes(entry + "}");
  JsonDocument document;
  const JsonValue value = document.read(bytes).value();
  ToolDefinition tool;
  tool.name = "read_text";
  tool.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(value));
  return tool;
}

/// A request of that method, without params.
inline std::unique_ptr<SampleCall> sample_request(
    std::string_view method, Direction direction = Direction::client_to_server) {
  return std::make_unique<SampleCall>(
      R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + "\"}", direction);
}

inline std::unique_ptr<SampleCall> sample_notification(
    std::string_view method, Direction direction = Direction::client_to_server) {
  return std::make_unique<SampleCall>(
      R"({"jsonrpc":"2.0","method":")" + std::string(method) + "\"}", direction);
}

/// Two servers, an analyst `ann`, a developer `dan`, `eve` with both roles, and `bob` with none.
inline Config sample_config() {
  Config config;
  config.roles["analyst"] = {
      .name = "analyst", .permissions = {"read:filesystem"}, .trust = Trust::verified, .where = {}};
  config.roles["developer"] = {
      .name = "developer", .permissions = {}, .trust = Trust::community, .where = {}};
  config.principals["ann"] = {.id = "ann", .roles = {"analyst"}, .attributes = {}, .where = {}};
  config.principals["bob"] = {.id = "bob", .roles = {}, .attributes = {}, .where = {}};
  config.principals["dan"] = {.id = "dan", .roles = {"developer"}, .attributes = {}, .where = {}};
  config.principals["eve"] = {
      .id = "eve", .roles = {"developer", "analyst"}, .attributes = {}, .where = {}};
  config.servers["files"].name = "files";
  config.servers["files"].cwd = "/srv/data";
  config.servers["mail"].name = "mail";
  config.paths["docs"] = {.name = "docs", .root = "/srv/data", .where = {}};
  config.digest = "d1";
  return config;
}

inline KnownNames sample_names() {
  return {.tools = {{"files", {"read_text", "read_bytes", "write"}}, {"mail", {"send"}}},
          .prompts = {{"mail", {"greet"}}}};
}

inline RuleConfig sample_rule(std::string name, Effect effect, std::vector<std::string> roles,
                              std::vector<std::string> patterns,
                              RuleTarget target = RuleTarget::tools) {
  RuleConfig rule;
  rule.name = std::move(name);
  rule.effect = effect;
  rule.roles = std::move(roles);
  rule.patterns = std::move(patterns);
  rule.target = target;
  return rule;
}

inline void add_rule(Config& config, RuleConfig rule) {
  const std::string name = rule.name;
  config.rules[name] = std::move(rule);
}

}  // namespace bartizan
