#include "gateway/upstream/agent_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

/// A text and what was read of it.
struct Read {
  explicit Read(std::string_view text) : bytes(text) {
    root = document.read(bytes).value_or(JsonValue());
  }
  Bytes bytes;
  JsonDocument document;
  JsonValue root;
};

std::string identify(std::string_view params) {
  return R"({"jsonrpc":"2.0","id":1,"method":"agent.identify","params":)" + std::string(params) +
         "}";
}

TEST(AgentMessages, ReadWhoAnAgentIs) {
  const struct {
    std::string_view name;
    std::string text;
    std::string_view fault;  ///< Of the sentence; empty for none.
  } rows[] = {
      {"an id and a token", identify(R"({"agent_id":"a","token":"t"})"), ""},
      {"members of a later document", identify(R"({"agent_id":"a","token":"t","x":1})"), ""},
      {"no id", identify(R"({"token":"t"})"), "/params/agent_id"},
      {"an id that is a number", identify(R"({"agent_id":1,"token":"t"})"), "/params/agent_id"},
      {"no token", identify(R"({"agent_id":"a"})"), "/params/token"},
      {"an empty token", identify(R"({"agent_id":"a","token":""})"), "/params/token"},
      {"system as text", identify(R"({"agent_id":"a","token":"t","os_info":"x"})"),
       "/params/os_info"},
      {"servers as an object", identify(R"({"agent_id":"a","token":"t","mcp_servers":{}})"),
       "/params/mcp_servers"},
      {"a policy as text", identify(R"({"agent_id":"a","token":"t","security_policy":"x"})"),
       "/params/security_policy"},
      {"commands as text",
       identify(R"({"agent_id":"a","token":"t","security_policy":{"blocked_commands":"x"}})"),
       "lists of at most"},
      {"tools as numbers",
       identify(R"({"agent_id":"a","token":"t","security_policy":{"requires_approval_for":[1]}})"),
       "lists of at most"},
      {"another method", R"({"jsonrpc":"2.0","id":1,"method":"ping"})", "must be agent.identify"},
      {"a notification", R"({"jsonrpc":"2.0","method":"agent.identify","params":{}})",
       "must be a request"},
      {"an array", "[]", "must be a request"},
  };
  for (const auto& row : rows) {
    const Read read(row.text);
    const auto identity = read_agent_identity(read.root);
    ASSERT_EQ(identity.has_value(), row.fault.empty()) << row.name;
    if (!identity.has_value()) EXPECT_TRUE(identity.error().contains(row.fault)) << row.name;
    if (!identity.has_value()) EXPECT_FALSE(identity.error().contains("\"t\"")) << row.name;
  }
}

AgentConfig agent() {
  return {.id = "a", .token_sha256 = "", .mcp_servers = {"pg", "web-search"}};
}

TEST(AgentMessages, WriteWhatAnAgentIsSent) {
  const struct {
    std::string_view name, params, request;
  } rows[] = {
      {"a tool of its own", R"({"name":"exec","arguments":{"command": "l\u0073"}})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"tool.execute","params":{"tool_name":"exec","arguments":{"command": "l\u0073"}}})"},
      {"no arguments", R"({"name":"exec"})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"tool.execute","params":{"tool_name":"exec","arguments":{}}})"},
      {"who approved it, and for which execution",
       R"({"approved_by":"j.w.s","name":"exec","arguments":{},"_meta":{"bartizan/correlation_id":"task"}})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"tool.execute","params":{"tool_name":"exec","arguments":{},"execution_id":"task","approved_by":"j.w.s"}})"},
      {"nobody approved it", R"({"approved_by":null,"name":"exec","arguments":{}})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"tool.execute","params":{"tool_name":"exec","arguments":{}}})"},
      {"a tool of a server beside it", R"({"name":"pg.query","arguments":{"sql":"x"}})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"mcp.proxy","params":{"target_server":"pg","inner_request":{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"query","arguments":{"sql":"x"}}}}})"},
      {"a name that only begins so", R"({"name":"pgquery","arguments":{}})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"tool.execute","params":{"tool_name":"pgquery","arguments":{}}})"},
      {"a dot of its own", R"({"name":"my.tool","arguments":{}})",
       R"({"jsonrpc":"2.0","id":"req-7","method":"tool.execute","params":{"tool_name":"my.tool","arguments":{}}})"},
  };
  for (const auto& row : rows) {
    const Read read(row.params);
    const auto call = read_agent_call(agent(), read.root);
    ASSERT_TRUE(call.has_value()) << row.name;
    EXPECT_EQ(write_agent_request(*call, 7), row.request) << row.name;
  }
  const Read nameless(R"({"arguments":{}})");
  EXPECT_FALSE(read_agent_call(agent(), nameless.root).has_value());
}

TEST(AgentMessages, FindTheRequestThatAnAnswerIsFor) {
  const struct {
    std::string_view text;
    std::optional<std::uint64_t> number;
  } rows[] = {
      {R"({"id":"req-7","result":{}})", 7},
      {R"({"id":"req-7","error":{}})", 7},
      {R"({"id":"req-7"})", {}},
      {R"({"id":"req-7","result":{},"method":"x"})", {}},
      {R"({"id":7,"result":{}})", {}},
      {R"({"id":"req-","result":{}})", {}},
      {R"({"id":"req-7x","result":{}})", {}},
      {R"({"id":"req--7","result":{}})", {}},
      {R"({"id":"req-99999999999999999999","result":{}})", {}},
      {R"([])", {}},
  };
  for (const auto& row : rows) {
    const Read read(row.text);
    EXPECT_EQ(answered_number(read.root), row.number) << row.text;
  }
}

TEST(AgentMessages, MakeAnAnswerOfMcp) {
  const struct {
    std::string_view name, answer;
    bool is_proxied;
    std::string_view want;  ///< From `result` or `error` on.
  } rows[] = {
      {"a success", R"({"result":{"status":"success","output":"done","exit_code":0}})", false,
       R"("result":{"content":[{"type":"text","text":"done"}],"structuredContent":{"status":"success","output":"done","exit_code":0},"isError":false})"},
      {"a failure", R"({"result":{"status":"error","output":"no"}})", false,
       R"("result":{"content":[{"type":"text","text":"no"}],"structuredContent":{"status":"error","output":"no"},"isError":true})"},
      {"an output that is not a text", R"({"result":{"output":{"a":1}}})", false,
       R"("result":{"content":[{"type":"text","text":"{\"output\":{\"a\":1}}"}],"structuredContent":{"output":{"a":1}},"isError":false})"},
      {"a text alone", R"({"result":"x"})", false,
       R"("result":{"content":[{"type":"text","text":"\"x\""}],"isError":false})"},
      {"an error", R"({"error":{"code":-32003,"message":"m","data":{"policy_rule":"p"}}})", false,
       R"("error":{"code":-32003,"message":"m","data":{"agent":{"policy_rule":"p"}}})"},
      {"an error that would be the gateway's",
       R"({"error":{"code":1,"message":"m","data":{"reason":"forbidden"}}})", false,
       R"("error":{"code":1,"message":"m","data":{"agent":{"reason":"forbidden"}}})"},
      {"an error without more", R"({"error":{}})", false,
       R"("error":{"code":-32603,"message":"The agent failed.","data":{"agent":{}}})"},
      {"a code beyond an int", R"({"error":{"code":99999999999,"message":"m"}})", false,
       R"("error":{"code":-32603,"message":"m","data":{"agent":{}}})"},
      {"an inner answer", R"({"result":{"jsonrpc":"2.0","id":7,"result":{"content":[]}}})", true,
       R"("result":{"content":[]})"},
      {"an inner result alone", R"({"result":{"content":[]}})", true, R"("result":{"content":[]})"},
      {"an inner error", R"({"result":{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m"}}})",
       true, R"("error":{"code":-1,"message":"m","data":{"agent":{}}})"},
      {"another inner id", R"({"result":{"jsonrpc":"2.0","id":8,"result":{"content":[]}}})", true,
       R"("error":{"code":-32603,"message":"The agent answers another inner request.","data":{"agent":{}}})"},
      {"an inner answer to a tool of its own", R"({"result":{"jsonrpc":"2.0","id":8,"result":{}}})",
       false,
       R"("result":{"content":[{"type":"text","text":"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}"}],"structuredContent":{"jsonrpc":"2.0","id":8,"result":{}},"isError":false})"},
  };
  for (const auto& row : rows) {
    const Read read(row.answer);
    EXPECT_EQ(write_answer_of_agent(read.root, "3", 7, row.is_proxied),
              R"({"jsonrpc":"2.0","id":3,)" + std::string(row.want) + "}")
        << row.name;
  }
}

TEST(AgentMessages, RefuseWhatTheAgentsPolicyRefuses) {
  const Read said(identify(R"({"agent_id":"a","token":"t","security_policy":{"hitl_enabled":true,)"
                           R"("blocked_commands":["rm -rf /","mkfs",":(){ :|:& };:"],)"
                           R"("requires_approval_for":["write_file","pg.query"]}})"));
  const AgentIdentity identity = *read_agent_identity(said.root);
  const struct {
    std::string_view name, params;
    bool asks_people;
    std::string_view rule;  ///< Empty where it is taken.
  } rows[] = {
      {"another command", R"({"name":"exec","arguments":{"command":"rm -rf /tmp"}})", true, ""},
      {"a blocked one", R"({"name":"exec","arguments":{"command":"rm -rf /"}})", true,
       "blocked_commands"},
      {"with more words", R"({"name":"exec","arguments":{"command":"rm -rf / tmp"}})", true,
       "blocked_commands"},
      {"its program by a path", R"({"name":"exec","arguments":{"command":"/sbin/mkfs x"}})", true,
       "blocked_commands"},
      {"in quotes", R"({"name":"exec","arguments":{"command":"\"mkfs\" x"}})", true,
       "blocked_commands"},
      {"behind sudo", R"({"name":"exec","arguments":{"command":"sudo mkfs x"}})", true,
       "blocked_commands"},
      {"second in a row", R"({"name":"exec","arguments":{"command":"true && mkfs x"}})", true,
       "blocked_commands"},
      {"a program that begins so", R"({"name":"exec","arguments":{"command":"mkfsx"}})", true, ""},
      {"its word as an argument", R"({"name":"exec","arguments":{"command":"ls mkfs"}})", true, ""},
      {"no command", R"({"name":"exec","arguments":{"path":"mkfs"}})", true, ""},
      {"what no shell is known to read", R"({"name":"exec","arguments":{"command":"if x"}})", true,
       "blocked_commands"},
      {"an entry that is not read", R"({"name":"exec","arguments":{"command":":(){ :|:& };:"}})",
       true, "blocked_commands"},
      {"words", R"({"name":"exec","arguments":{"command":["/sbin/mkfs","x"]}})", true,
       "blocked_commands"},
      {"other words", R"({"name":"exec","arguments":{"command":["ls","mkfs"]}})", true, ""},
      {"words that are none", R"({"name":"exec","arguments":{"command":[1]}})", true,
       "blocked_commands"},
      {"a number", R"({"name":"exec","arguments":{"command":1}})", true, "blocked_commands"},
      {"a tool of a server beside it", R"({"name":"pg.query","arguments":{}})", true,
       "query_requires_approval"},
      {"a tool that people approve", R"({"name":"write_file","arguments":{}})", true,
       "write_file_requires_approval"},
      {"that nobody need approve", R"({"name":"write_file","arguments":{}})", false, ""},
      {"that somebody approved", R"({"name":"write_file","arguments":{},"approved_by":"j"})", true,
       ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    AgentIdentity mine = identity;
    mine.asks_people = row.asks_people;
    const Read read(row.params);
    const auto refused = refuse_by_agent(mine, *read_agent_call(agent(), read.root), "3");
    ASSERT_EQ(refused.has_value(), !row.rule.empty());
    if (!refused.has_value()) continue;
    EXPECT_TRUE(refused->contains(R"("data":{"agent":{"policy_rule":")" + std::string(row.rule)))
        << *refused;
    EXPECT_TRUE(refused->contains(R"("code":-32003)"));
  }
}

TEST(AgentMessages, ListTheToolsThatAnOperatorWrote) {
  Config config;
  const auto add = [&config](std::string_view pattern, std::string_view schema) {
    config.tools.push_back({.pattern = std::string(pattern), .schema = std::string(schema)});
  };
  add("db/run", R"({"type":"object","description":"Runs"})");
  add("db/bare", R"({"required":["a"]})");
  add("db/none", "");
  add("db/*", R"({"type":"object"})");
  add("other/run", R"({"type":"object"})");
  EXPECT_EQ(
      write_agent_tools(config, {.name = "db"}),
      R"({"tools":[{"name":"run","description":"Runs","inputSchema":{"type":"object","description":"Runs"}},)"
      R"({"name":"bare","inputSchema":{"type":"object","required":["a"]}}]})");
}

}  // namespace
}  // namespace bartizan
