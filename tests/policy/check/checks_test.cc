#include <gtest/gtest.h>

#include "policy/check/check_access.h"
#include "policy/check/check_existence.h"
#include "policy/check/check_features.h"
#include "policy/check/check_headers.h"
#include "policy/check/check_pending.h"
#include "policy/check/check_permission.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Direction;

const char* kind_of(const Decision& decision) {
  if (decision.denies()) return "deny";
  return decision.permits() ? "permit" : "pass";
}

void expect(const Decision& have, std::string_view kind, Reason reason,
            std::string_view rule = "") {
  EXPECT_EQ(kind_of(have), kind);
  EXPECT_EQ(have.reason, reason);
  EXPECT_EQ(have.rule_name(), rule);
}

/// A modern message with its `_meta`.
std::string modern(std::string_view method, std::string_view params, bool request = true) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (request) text += R"("id":1,)";
  text.append(R"("method":")").append(method).append(R"(","params":{)").append(params);
  if (!params.empty()) text += ",";
  return text + R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
}

MirroredHeaders headers_of(std::string_view method, std::optional<std::string_view> name = {}) {
  return {.protocol_version = "2026-07-28", .method = method, .name = name, .params = {}};
}

TEST(CheckHeaders, RepeatTheBody) {
  const std::string call = modern("tools/call", R"("name":"files_read","arguments":{})");
  const std::string read = modern("resources/read", R"("uri":"file:///r\u00e9")");
  const std::string task = modern("tasks/get", R"("taskId":"t 1")");
  const std::string list = modern("tools/list", "");
  const std::string cancelled = modern("notifications/cancelled", R"("requestId":1)", false);
  const auto without_version = [](MirroredHeaders headers) {
    headers.protocol_version.reset();
    return headers;
  };
  const auto with_version = [](MirroredHeaders headers, std::string_view version) {
    headers.protocol_version = version;
    return headers;
  };
  const struct {
    std::string_view name;
    std::string text;
    MirroredHeaders headers;
    Reason want;
  } cases[] = {
      {"all equal", call, headers_of("tools/call", "files_read"), Reason::none},
      {"a name is not needed for a list", list, headers_of("tools/list"), Reason::none},
      {"nor does one there say anything", list, headers_of("tools/list", "x"), Reason::none},
      {"no version", call, without_version(headers_of("tools/call", "files_read")),
       Reason::header_mismatch},
      {"another version", call, with_version(headers_of("tools/call", "files_read"), "2025-11-25"),
       Reason::header_mismatch},
      {"no method",
       call,
       {.protocol_version = "2026-07-28", .method = {}, .name = "files_read", .params = {}},
       Reason::header_mismatch},
      {"another method", call, headers_of("tools/list", "files_read"), Reason::header_mismatch},
      {"a method in capitals", call, headers_of("TOOLS/CALL", "files_read"),
       Reason::header_mismatch},
      {"no name", call, headers_of("tools/call"), Reason::header_mismatch},
      {"another name", call, headers_of("tools/call", "files_write"), Reason::header_mismatch},
      {"the server's own name", call, headers_of("tools/call", "read"), Reason::header_mismatch},
      {"a name in Base64", call, headers_of("tools/call", "=?base64?ZmlsZXNfcmVhZA==?="),
       Reason::none},
      {"another name in Base64", call, headers_of("tools/call", "=?base64?ZmlsZXNfcmVhZB==?="),
       Reason::header_mismatch},
      {"a sentinel that does not decode", call, headers_of("tools/call", "=?base64?%%?="),
       Reason::header_mismatch},
      {"a URI in Base64", read, headers_of("resources/read", "=?base64?ZmlsZTovLy9yw6k=?="),
       Reason::none},
      {"no URI", read, headers_of("resources/read"), Reason::header_mismatch},
      {"a task", task, headers_of("tasks/get", "t 1"), Reason::none},
      {"another task", task, headers_of("tasks/get", "t 2"), Reason::header_mismatch},
      {"a notification without headers", cancelled, {}, Reason::none},
      {"a notification with a wrong method", cancelled, headers_of("tools/call"),
       Reason::header_mismatch},
      {"a notification with a wrong version", cancelled,
       with_version(headers_of("notifications/cancelled"), "2025-11-25"), Reason::header_mismatch},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SampleCall sample(c.text);
    sample.call.era = Era::modern;
    sample.call.headers = &c.headers;
    EXPECT_EQ(check_headers(sample.call).reason, c.want);
  }
}

TEST(CheckHeaders, ConcernModernMessagesWithHeadersOnly) {
  const MirroredHeaders none;
  SampleCall sample(modern("tools/call", R"("name":"a")"));
  sample.call.era = Era::legacy;
  sample.call.headers = &none;
  EXPECT_FALSE(check_headers(sample.call).denies());
  sample.call.era = Era::modern;
  EXPECT_TRUE(check_headers(sample.call).denies());
  sample.call.headers = nullptr;
  EXPECT_FALSE(check_headers(sample.call).denies());
}

TEST(CheckMirroredArguments, RepeatTheBody) {
  ToolDefinition tool;
  tool.mirrored = {{"Region", "/region"}, {"Limit", "/page/limit"}};
  using Params = std::vector<std::pair<std::string_view, std::string_view>>;
  const struct {
    std::string_view name;
    std::string arguments;
    Params params;
    std::string_view pointer;  ///< Of the mismatch; empty for none.
  } cases[] = {
      {"equal", R"({"region":"eu"})", {{"Region", "eu"}}, ""},
      {"field names in any case", R"({"region":"eu"})", {{"rEGION", "eu"}}, ""},
      {"different", R"({"region":"eu"})", {{"Region", "us"}}, "/region"},
      {"values in their case", R"({"region":"eu"})", {{"Region", "EU"}}, "/region"},
      {"missing", R"({"region":"eu"})", {}, "/region"},
      {"absent on both sides", "{}", {}, ""},
      {"null and no header", R"({"region":null})", {}, ""},
      {"null and a header", R"({"region":null})", {{"Region", "null"}}, "/region"},
      {"a header without its argument", "{}", {{"Region", "eu"}}, "/region"},
      {"an integer by value", R"({"page":{"limit":42}})", {{"Limit", "42.0"}}, ""},
      {"another integer", R"({"page":{"limit":42}})", {{"Limit", "43"}}, "/page/limit"},
      {"Base64", R"({"region":"e u "})", {{"Region", "=?base64?ZSB1IA==?="}}, ""},
      {"one that the tool does not mirror", "{}", {{"Other", "x"}}, ""},
      {"no arguments at all", "", {{"Region", "eu"}}, "/region"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto sample = sample_tool_call("files", "read_text", c.arguments);
    MirroredHeaders headers;
    headers.params = c.params;
    sample->call.era = Era::modern;
    sample->call.headers = &headers;
    sample->call.facts.tool = &tool;
    const Decision decision = check_mirrored_arguments(sample->call);
    EXPECT_EQ(decision.reason, c.pointer.empty() ? Reason::none : Reason::header_mismatch);
    EXPECT_EQ(decision.pointer, c.pointer);
  }
}

// What a client repeats it repeats of what it sent; what profiles make of that it cannot know.
TEST(CheckMirroredArguments, RepeatWhatTheClientSent) {
  ToolDefinition tool;
  tool.mirrored = {{"Region", "/region"}};
  const auto sent = sample_tool_call("files", "read_text", R"({"region":"us"})");
  const auto judged = sample_tool_call("files", "read_text", R"({"region":"eu"})");
  judged->call.era = Era::modern;
  judged->call.facts.tool = &tool;
  const auto reason_of =
      [&](const std::vector<std::pair<std::string_view, std::string_view>>& params,
          JsonValue arguments) {
        MirroredHeaders headers;
        headers.params = params;
        judged->call.headers = &headers;
        judged->call.sent_arguments = arguments;
        return check_mirrored_arguments(judged->call).reason;
      };
  EXPECT_EQ(reason_of({{"Region", "us"}}, sent->call.message.arguments), Reason::none);
  EXPECT_EQ(reason_of({{"Region", "eu"}}, sent->call.message.arguments), Reason::header_mismatch);
  EXPECT_EQ(reason_of({}, sent->call.message.arguments), Reason::header_mismatch);
  EXPECT_EQ(reason_of({}, JsonValue()), Reason::none) << "nothing was sent";
}

TEST(CheckPending, AnswersAndCancellationsNeedARequestOfTheirOwner) {
  const std::string cancelled =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  const std::string error = R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})";
  for (const std::string& text : {cancelled, answer, error}) {
    for (const Direction direction : {client_to_server, server_to_client}) {
      SCOPED_TRACE(text);
      SampleCall sample(text, direction);
      expect(check_pending(sample.call), "deny", Reason::not_pending);
      sample.call.facts.names_own_pending_request = true;
      expect(check_pending(sample.call), "permit", Reason::none);
    }
  }
  const auto request = sample_request("tools/list");
  request->call.facts.names_own_pending_request = true;
  expect(check_pending(request->call), "pass", Reason::none);
  expect(check_pending(sample_notification("notifications/initialized")->call), "pass",
         Reason::none);
}

TEST(CheckFeatures, ServersAskOnlyWhatTheyMay) {
  Config config = sample_config();
  config.servers["files"].client_features = {ClientFeature::roots};
  config.servers["mail"].client_features = {ClientFeature::sampling, ClientFeature::elicitation};
  enum class Declared : std::uint8_t { no, yes };
  const struct {
    std::string_view name;
    std::string_view server;
    std::string_view method;
    Declared declared;
    std::string_view kind;
    Reason reason;
  } cases[] = {
      {"allowed and declared", "files", "roots/list", Declared::yes, "permit", Reason::none},
      {"allowed and not declared", "files", "roots/list", Declared::no, "deny",
       Reason::client_feature_not_allowed},
      {"declared and not allowed", "files", "sampling/createMessage", Declared::yes, "deny",
       Reason::client_feature_not_allowed},
      {"sampling", "mail", "sampling/createMessage", Declared::yes, "permit", Reason::none},
      {"elicitation", "mail", "elicitation/create", Declared::yes, "permit", Reason::none},
      {"another server's feature", "mail", "roots/list", Declared::yes, "deny",
       Reason::client_feature_not_allowed},
      {"an unknown server", "ghost", "roots/list", Declared::yes, "deny",
       Reason::client_feature_not_allowed},
      {"ping is for the gateway", "mail", "ping", Declared::yes, "deny",
       Reason::client_feature_not_allowed},
      {"a client's method", "mail", "tools/call2", Declared::yes, "deny", Reason::method_not_found},
      {"a client's list", "mail", "tools/list", Declared::yes, "deny", Reason::method_not_found},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto sample = sample_request(c.method, server_to_client);
    sample->call.server = c.server;
    sample->call.facts.client_declared_feature = c.declared == Declared::yes;
    expect(check_features(config.servers, sample->call), c.kind, c.reason);
  }
}

TEST(CheckFeatures, WhatStandsInAnAnswerIsARequestInEveryRevision) {
  Config config = sample_config();
  config.servers["mail"].client_features = {ClientFeature::elicitation};
  const struct {
    std::string_view method;
    std::string_view kind;
    Reason reason;
  } cases[] = {
      {"elicitation/create", "permit", Reason::none},
      {"roots/list", "deny", Reason::client_feature_not_allowed},
      {"tools/list", "deny", Reason::method_not_found},
      {"no/such", "deny", Reason::method_not_found},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.method);
    const auto sample = sample_request(c.method, server_to_client);
    sample->call.server = "mail";
    sample->call.version = kNewestModernVersion;
    sample->call.facts.client_declared_feature = true;
    sample->call.facts.is_input_request = true;
    expect(check_features(config.servers, sample->call), c.kind, c.reason);
    sample->call.facts.is_input_request = false;
    expect(check_features(config.servers, sample->call), "deny", Reason::method_not_found);
  }
}

TEST(CheckFeatures, MethodsExistInTheirDirection) {
  const Config config = sample_config();
  const auto check = [&](const Call& call) { return check_features(config.servers, call); };
  expect(check(sample_request("tools/list")->call), "pass", Reason::none);
  expect(check(sample_request("tools/unheard-of")->call), "deny", Reason::method_not_found);
  expect(check(sample_request("sampling/createMessage")->call), "deny", Reason::method_not_found);
  expect(check(sample_notification("notifications/initialized")->call), "pass", Reason::none);
  expect(check(sample_notification("notifications/nothing")->call), "deny",
         Reason::method_not_found);
  expect(check(sample_notification("notifications/message", server_to_client)->call), "permit",
         Reason::none);
  expect(check(sample_notification("notifications/initialized", server_to_client)->call), "deny",
         Reason::method_not_found);
  const auto old = sample_request("server/discover");
  old->call.version = ProtocolVersion::v2025_11_25;
  expect(check(old->call), "deny", Reason::method_not_found);
  SampleCall answer(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  expect(check(answer.call), "pass", Reason::none);
}

class CheckAccess : public testing::Test {
 protected:
  CheckAccess() {
    using enum Effect;
    add_rule(config_, sample_rule("tools", permit, {"*"}, {"files/*"}));
    add_rule(config_, sample_rule("res", permit, {"*"}, {"files/demo:*"}, RuleTarget::resources));
    add_rule(config_, sample_rule("prompts", permit, {"*"}, {"mail/*"}, RuleTarget::prompts));
    add_rule(config_, sample_rule("log", permit, {"*"}, {"logging/*"}, RuleTarget::methods));
    add_rule(config_,
             sample_rule("no-dan", forbid, {"developer"},
                         {"prompts/list", "tools/call", "roots/list"}, RuleTarget::methods));
  }
  Decision check(Call& call, const std::string& principal = "ann") {
    principals_ = make_principals(config_);
    call.principal = &principals_.at(principal);
    return check_access(AccessTable(config_, sample_names()), call);
  }

  Config config_ = sample_config();
  std::map<std::string, Principal, std::less<>> principals_;
};

// The table is gone when a decision is looked at here, so only kind and reason are.
TEST_F(CheckAccess, MethodsWithoutRulesAndWith) {
  const struct {
    std::string_view method;
    std::string_view kind;
    Reason reason;
  } cases[] = {
      {"initialize", "permit", Reason::none},
      {"ping", "permit", Reason::none},
      {"server/discover", "permit", Reason::none},
      {"tools/list", "permit", Reason::none},
      {"resources/list", "permit", Reason::none},
      {"resources/templates/list", "permit", Reason::none},
      {"prompts/list", "permit", Reason::none},
      {"logging/setLevel", "permit", Reason::none},
      {"tasks/list", "deny", Reason::no_matching_rule},
      {"subscriptions/listen", "deny", Reason::no_matching_rule},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.method);
    const auto sample = sample_request(c.method);
    const Decision decision = check(sample->call);
    EXPECT_EQ(kind_of(decision), c.kind);
    EXPECT_EQ(decision.reason, c.reason);
  }
}

TEST_F(CheckAccess, SubscriptionsNeedTheRuleOfEachResource) {
  add_rule(config_, sample_rule("listen", Effect::permit, {"*"}, {"subscriptions/listen"},
                                RuleTarget::methods));
  const struct {
    std::string_view name;
    std::string_view notifications;
    Reason want;
  } cases[] = {
      {"lists only", R"({"toolsListChanged":true})", Reason::none},
      {"a resource with a rule", R"({"resourceSubscriptions":["demo:a"]})", Reason::none},
      {"none named", R"({"resourceSubscriptions":[]})", Reason::none},
      {"a resource without a rule", R"({"resourceSubscriptions":["else:a"]})",
       Reason::no_matching_rule},
      {"one of two without a rule", R"({"resourceSubscriptions":["demo:a","else:a"]})",
       Reason::no_matching_rule},
      {"no text", R"({"resourceSubscriptions":[1]})", Reason::invalid_params},
      {"no list", R"({"resourceSubscriptions":"demo:a"})", Reason::invalid_params},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string text =
        R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":)" +
        std::string(c.notifications) + "}}";
    SampleCall sample(text);
    sample.call.server = "files";
    EXPECT_EQ(check(sample.call).reason, c.want);
  }
}

TEST_F(CheckAccess, SubscriptionsAreJudgedByTheServersOwnUris) {
  add_rule(config_, sample_rule("listen", Effect::permit, {"*"}, {"subscriptions/listen"},
                                RuleTarget::methods));
  const struct {
    std::string_view name;
    std::vector<std::string> own;
    Reason want;
  } cases[] = {
      {"its part has a rule", {"demo:a"}, Reason::none},
      {"nothing is for it", {}, Reason::none},
      {"its part has no rule", {"demo:a", "else:a"}, Reason::no_matching_rule},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SampleCall sample(
        R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":)"
        R"({"resourceSubscriptions":["bartizan://files/demo:a","bartizan://other/else:a"]}}})");
    sample.call.server = "files";
    sample.call.facts.resources = &c.own;
    EXPECT_EQ(check(sample.call).reason, c.want);
    sample.call.facts.resources = nullptr;
    EXPECT_EQ(check(sample.call).reason, Reason::no_matching_rule) << "as it was sent";
  }
}

TEST_F(CheckAccess, ForbiddenMethodsBindWhatNeedsNoRule) {
  EXPECT_EQ(check(sample_request("prompts/list")->call, "dan").reason, Reason::forbidden);
  EXPECT_EQ(check(sample_tool_call("files", "write")->call, "dan").reason, Reason::forbidden);
  EXPECT_EQ(check(sample_tool_call("files", "write")->call, "ann").reason, Reason::none);
  EXPECT_EQ(check(sample_request("roots/list", server_to_client)->call, "dan").reason,
            Reason::forbidden);
  EXPECT_FALSE(check(sample_request("roots/list", server_to_client)->call, "ann").denies());
}

TEST_F(CheckAccess, TargetsNeedTheirRule) {
  const struct {
    std::string_view name;
    std::string text;
    TargetKind kind;
    std::string_view server;
    std::string_view target;
    Reason want;
  } cases[] = {
      {"a resource", R"("resources/read","params":{"uri":"demo:a"})", TargetKind::resource, "files",
       "demo:a", Reason::none},
      {"a subscription", R"("resources/subscribe","params":{"uri":"demo:a"})", TargetKind::resource,
       "files", "demo:a", Reason::none},
      {"another resource", R"("resources/read","params":{"uri":"other:a"})", TargetKind::resource,
       "files", "other:a", Reason::no_matching_rule},
      {"a prompt", R"("prompts/get","params":{"name":"greet"})", TargetKind::prompt, "mail",
       "greet", Reason::none},
      {"a prompt of another server", R"("prompts/get","params":{"name":"greet"})",
       TargetKind::prompt, "files", "greet", Reason::no_matching_rule},
      {"a completion for a prompt", R"("completion/complete","params":{})", TargetKind::prompt,
       "mail", "greet", Reason::none},
      {"a completion for a resource", R"("completion/complete","params":{})", TargetKind::resource,
       "files", "demo:a", Reason::none},
      {"a completion for nothing", R"("completion/complete","params":{})", TargetKind::none, "", "",
       Reason::invalid_params},
      {"a completion for a tool", R"("completion/complete","params":{})", TargetKind::tool, "files",
       "write", Reason::invalid_params},
      {"a prompt gathered as a tool", R"("prompts/get","params":{"name":"greet"})",
       TargetKind::tool, "files", "write", Reason::invalid_params},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SampleCall sample(R"({"jsonrpc":"2.0","id":1,"method":)" + c.text + "}");
    sample.call.target_kind = c.kind;
    sample.call.server = c.server;
    sample.call.target = c.target;
    EXPECT_EQ(check(sample.call).reason, c.want);
  }
}

TEST_F(CheckAccess, NotificationsAndAnswersNeedNoRule) {
  EXPECT_TRUE(check(sample_notification("notifications/initialized")->call).permits());
  EXPECT_STREQ(kind_of(check(sample_notification("notifications/cancelled")->call)), "pass");
  EXPECT_STREQ(kind_of(check(sample_notification("notifications/message", server_to_client)->call)),
               "pass");
  SampleCall answer(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_STREQ(kind_of(check(answer.call)), "pass");
  const auto nobody = sample_request("ping");
  EXPECT_EQ(check_access(AccessTable(config_, {}), nobody->call).reason, Reason::internal);
}

TEST(CheckPermission, ProfilesBindEveryone) {
  Config config = sample_config();
  config.tools = {{.pattern = "files/*",
                   .permissions = {"read:filesystem"},
                   .timeout = {},
                   .arguments = {},
                   .where = {}},
                  {.pattern = "files/write",
                   .permissions = {"write:filesystem"},
                   .timeout = {},
                   .arguments = {},
                   .where = {}}};
  const auto principals = make_principals(config);
  for (const KnownNames& names : {sample_names(), KnownNames()}) {
    const ToolProfiles profiles(config, names);
    const auto check = [&](const std::string& id, std::string_view server, std::string_view tool) {
      const auto sample = sample_tool_call(server, tool);
      sample->call.principal = &principals.at(id);
      return check_permission(profiles, sample->call).reason;
    };
    EXPECT_EQ(check("ann", "files", "read_text"), Reason::none);
    EXPECT_EQ(check("dan", "files", "read_text"), Reason::permission_missing);
    EXPECT_EQ(check("ann", "files", "write"), Reason::permission_missing);
    EXPECT_EQ(check("dan", "mail", "send"), Reason::none);
    const auto sample = sample_tool_call("files", "write");
    sample->call.principal = &principals.at("dan");
    EXPECT_EQ(check_permission(profiles, sample->call).permission, "read:filesystem");
    sample->call.principal = &principals.at("ann");
    EXPECT_EQ(check_permission(profiles, sample->call).permission, "write:filesystem");
    EXPECT_EQ(check_permission(profiles, sample_tool_call("mail", "send")->call).reason,
              Reason::internal);
  }
}

TEST(CheckExistence, TheToolIsThereAndNotQuarantined) {
  const ToolDefinition tool = sample_tool();
  const ToolProfiles profiles;
  const auto check_existence = [&profiles](const Call& call) {
    return bartizan::check_existence(profiles, call);
  };
  const auto sample = sample_tool_call("files", "read_text");
  EXPECT_EQ(check_existence(sample->call).reason, Reason::tool_unknown);
  sample->call.facts.tool = &tool;
  EXPECT_EQ(check_existence(sample->call).reason, Reason::none);
  sample->call.facts.tool_quarantined = true;
  EXPECT_EQ(check_existence(sample->call).reason, Reason::tool_quarantined);
  EXPECT_EQ(check_existence(sample_request("tools/list")->call).reason, Reason::none);
}

}  // namespace
}  // namespace bartizan
