#include "gateway/message/answer_denial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/base/error_code.h"
#include "schemas/json/json.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kDecisionId = "01999999-0000-7000-8000-000000000001";

/// An answer, read.
class ReadAnswer {
 public:
  explicit ReadAnswer(const DenialAnswer& denial)
      : answer_(answer_denial(denial)), bytes_(std::string_view(answer_.message)) {
    const auto read = document_.read(bytes_);
    EXPECT_TRUE(read.has_value()) << answer_.message;
    root = read.value_or(JsonValue());
  }
  ReadAnswer(const ReadAnswer&) = delete;
  ReadAnswer& operator=(const ReadAnswer&) = delete;

  const std::string& text() const { return answer_.message; }
  std::optional<ErrorCode> protocol_error() const { return answer_.protocol_error; }
  std::int64_t code() const { return root.at_pointer("/error/code").integer().value_or(0); }
  std::string_view sentence() const { return root.at_pointer("/error/message").text(); }
  JsonValue data() const { return root.at_pointer("/error/data"); }

  JsonValue root;

 private:
  Answer answer_;
  Bytes bytes_;
  JsonDocument document_;
};

std::set<std::string> names_of(JsonValue object) {
  std::set<std::string> names;
  for (const JsonValue member : object)
    names.emplace(member.key());
  return names;
}

/// A refusal that has something to say to everyone.
DenialAnswer refusal(const RuleInfo& rule, Trust trust) {
  return {.reason = Reason::path_outside_root,
          .rule = &rule,
          .pointer = "/path",
          .decision_id = kDecisionId,
          .id_json = "7",
          .trust = trust,
          .is_tool_call = true,
          .retry_after = std::chrono::milliseconds(1500)};
}

TEST(AnswerDenial, HasACodeForEachReasonAndEra) {
  using enum Reason;
  const struct Row {
    Reason reason;
    int legacy;
    int modern;
  } rows[] = {
      {none, -32000, 40300},
      {parse_error, -32000, 40300},
      {invalid_request, -32600, -32600},
      {invalid_params, -32602, -32602},
      {ambiguous_member, -32000, 40300},
      {header_mismatch, -32020, -32020},
      {unsupported_version, -32000, 40300},
      {method_not_found, -32601, -32601},
      {client_capability_missing, -32021, -32021},
      {session_missing, -32600, -32600},
      {session_unknown, -32600, -32600},
      {http_malformed, -32000, 40300},
      {http_too_large, -32000, 40300},
      {http_method_not_allowed, -32000, 40300},
      {http_not_acceptable, -32000, 40300},
      {http_unsupported_media_type, -32000, 40300},
      {http_not_found, -32000, 40300},
      {proxy_header_invalid, -32000, 40300},
      {unauthenticated, -32000, 40300},
      {credentials_invalid, -32000, 40300},
      {credentials_expired, -32000, 40300},
      {principal_unknown, -32000, 40300},
      {origin_not_allowed, -32000, 40300},
      {host_not_allowed, -32000, 40300},
      {revoked, -32000, 40300},
      {blocked, -32000, 40300},
      {sign_in_refused, -32000, 40300},
      {grant_replayed, -32000, 40300},
      {redirect_not_allowed, -32000, 40300},
      {role_missing, -32000, 40300},
      {csrf_token_invalid, -32000, 40300},
      {no_matching_rule, -32000, 40300},
      {forbidden, -32000, 40300},
      {needs_approval, -32003, 40301},
      {approval_denied, -32003, 40301},
      {approval_too_large, -32003, 40301},
      {flow_refused, -32000, 40300},
      {permission_missing, -32000, 40300},
      {client_feature_not_allowed, -32000, 40300},
      {secret_requested, -32000, 40300},
      {not_pending, -32000, 40300},
      {tool_unknown, -32602, -32602},
      {resource_unknown, -32002, -32602},
      {prompt_unknown, -32602, -32602},
      {task_unknown, -32602, -32602},
      {resource_ambiguous, -32602, -32602},
      {tool_quarantined, -32000, 40302},
      {skill_quarantined, -32000, 40302},
      {not_at_endpoint, -32602, -32602},
      {path_outside_root, -32000, 40300},
      {path_malformed, -32000, 40300},
      {path_relative, -32000, 40300},
      {path_not_allowed, -32000, 40300},
      {path_extension_not_allowed, -32602, -32602},
      {path_not_text, -32602, -32602},
      {path_unresolved, -32000, 40300},
      {path_unreachable, -32000, 40300},
      {url_malformed, -32000, 40300},
      {url_not_allowed, -32000, 40300},
      {url_private, -32000, 40300},
      {url_unresolved, -32000, 40300},
      {sql_malformed, -32000, 40300},
      {sql_not_allowed, -32000, 40300},
      {command_malformed, -32000, 40300},
      {command_not_allowed, -32000, 40300},
      {command_blocked, -32000, 40300},
      {argument_missing, -32602, -32602},
      {argument_wrong_type, -32602, -32602},
      {argument_unguarded, -32000, 40300},
      {argument_undecidable, -32000, 40300},
      {argument_not_allowed, -32000, 40300},
      {argument_not_absent, -32000, 40300},
      {arguments_invalid, -32602, -32602},
      {argument_refused, -32000, 40300},
      {reserved_member, -32602, -32602},
      {schema_too_costly, -32000, 40300},
      {result_invalid, -32000, 40300},
      {result_unjudged, -32000, 40300},
      {result_too_large, -32000, 40300},
      {content_withheld, -32000, 40300},
      {argument_withheld, -32000, 40300},
      {request_state_invalid, -32602, -32602},
      {limited, -32000, 42900},
      {call_loop, -32000, 42900},
      {overloaded, -32000, 50300},
      {session_limit, -32000, 50300},
      {issuer_unavailable, -32000, 50300},
      {not_recordable, -32000, 50300},
      {shutting_down, -32000, 50300},
      {gateway_stopped, -32000, 50300},
      {server_unavailable, -32603, 50200},
      {server_timeout, -32001, 50400},
      {server_failed, -32603, 50200},
      {circuit_open, -32603, 50200},
      {internal, -32603, -32603},
  };
  static_assert(std::size(rows) == static_cast<std::size_t>(kLastReason) + 1);
  std::set<Reason> seen;
  for (const Row& row : rows) {
    SCOPED_TRACE(text(row.reason));
    seen.insert(row.reason);
    for (const auto& [era, code] :
         {std::pair(Era::legacy, row.legacy), {Era::modern, row.modern}}) {
      EXPECT_EQ(denial_code(row.reason, era), code);
      // Callers of less trust are told one of them as another.
      const ReadAnswer answer({.reason = row.reason,
                               .decision_id = kDecisionId,
                               .id_json = R"("a")",
                               .era = era,
                               .trust = Trust::verified});
      EXPECT_EQ(answer.code(), code);
      EXPECT_EQ(answer.root.find("id").text(), "a");
      EXPECT_EQ(answer.data().find("reason").text(), text(row.reason));
      EXPECT_EQ(answer.data().find("category").text(), text(category(row.reason)));
      EXPECT_EQ(answer.data().find("decision_id").text(), kDecisionId);
      std::string sentence(message_of(row.reason));
      sentence.insert(sentence.size() - 1, " (decision " + std::string(kDecisionId) + ")");
      EXPECT_EQ(answer.sentence(), sentence);
    }
  }
  EXPECT_EQ(seen.size(), std::size(rows));
}

// Modern codes of ours must stay out of the range that JSON-RPC reserves.
TEST(AnswerDenial, UsesReservedCodesInTheModernEraForTheProtocolAlone) {
  constexpr std::array kProtocols{-32600, -32601, -32602, -32603, -32020, -32021};
  for (int i = 0; i <= static_cast<int>(kLastReason); ++i) {
    const int code = denial_code(static_cast<Reason>(i), Era::modern);
    const bool is_reserved = code >= -32768 && code <= -32000;
    const bool is_protocols =
        std::find(kProtocols.begin(), kProtocols.end(), code) != kProtocols.end();
    EXPECT_EQ(is_reserved, is_protocols) << text(static_cast<Reason>(i));
  }
}

TEST(AnswerDenial, SaysWhereTheProtocolWantsAStatus) {
  const struct {
    Reason reason;
    Era era;
    std::optional<ErrorCode> error;
  } cases[] = {
      {Reason::header_mismatch, Era::modern, ErrorCode::header_mismatch},
      {Reason::session_unknown, Era::legacy, ErrorCode::not_found},
      {Reason::method_not_found, Era::modern, ErrorCode::method_not_found},
      {Reason::method_not_found, Era::legacy, std::nullopt},
      {Reason::forbidden, Era::modern, std::nullopt},
      {Reason::tool_unknown, Era::modern, std::nullopt},
      {Reason::limited, Era::modern, std::nullopt},
      {Reason::overloaded, Era::legacy, std::nullopt},
      {Reason::internal, Era::modern, std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(text(c.reason));
    EXPECT_EQ(ReadAnswer({.reason = c.reason, .id_json = "1", .era = c.era}).protocol_error(),
              c.error);
  }
}

TEST(AnswerDenial, TellsNoMoreThanTheTrustAllows) {
  const RuleInfo rule{.name = "staff-may", .remediation = "Ask ops."};
  const struct {
    std::string_view name;
    std::set<std::string> members;
    Trust trust;
    bool remediation_in_sentence;
  } cases[] = {
      {"untrusted",
       {"reason", "category", "decision_id", "retryable", "retry_after_ms"},
       Trust::untrusted,
       false},
      {"community",
       {"reason", "category", "decision_id", "remediation", "retryable", "retry_after_ms"},
       Trust::community,
       true},
      {"verified",
       {"reason", "category", "decision_id", "remediation", "retryable", "retry_after_ms",
        "policy_rule", "pointer"},
       Trust::verified,
       true},
      {"system",
       {"reason", "category", "decision_id", "remediation", "retryable", "retry_after_ms",
        "policy_rule", "pointer"},
       Trust::system,
       true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const ReadAnswer answer(refusal(rule, c.trust));
    EXPECT_EQ(names_of(answer.data()), c.members);
    EXPECT_EQ(answer.sentence().ends_with("Ask ops."), c.remediation_in_sentence);
    EXPECT_EQ(answer.text().find("staff-may") != std::string::npos, c.trust >= Trust::verified);
    EXPECT_EQ(answer.text().find("/path") != std::string::npos, c.trust >= Trust::verified);
  }
}

// Of a name that nobody has, a caller without a permit or a permission is told of that.
TEST(AnswerDenial, HidesBehindWhatStopsTheCallerFirst) {
  const RuleInfo rule{.name = "secret-rule", .hide = true};
  for (const Reason reason : {Reason::no_matching_rule, Reason::permission_missing}) {
    DenialAnswer hidden = refusal(rule, Trust::verified);
    hidden.reason = Reason::forbidden;
    hidden.is_hidden = true;
    hidden.hidden_as = reason;
    hidden.permission = reason == Reason::permission_missing ? "read:filesystem" : "";
    const DenialAnswer other{.reason = reason,
                             .permission = hidden.permission,
                             .decision_id = kDecisionId,
                             .id_json = "7",
                             .trust = Trust::verified,
                             .is_tool_call = true};
    EXPECT_EQ(ReadAnswer(hidden).text(), ReadAnswer(other).text());
  }
}

TEST(AnswerDenial, NamesTheMissingPermissionToWhomItMay) {
  for (const Trust trust : {Trust::untrusted, Trust::community, Trust::verified, Trust::system}) {
    SCOPED_TRACE(text(trust));
    const ReadAnswer answer({.reason = Reason::permission_missing,
                             .permission = "read:filesystem",
                             .decision_id = "0190",
                             .id_json = "1",
                             .trust = trust});
    const bool tells = trust >= Trust::verified;
    EXPECT_EQ(answer.data().find("permission").text(), tells ? "read:filesystem" : "");
    EXPECT_EQ(answer.sentence().contains(": read:filesystem (decision 0190)."), tells);
  }
}

TEST(AnswerDenial, GivesTheMembersTheirValues) {
  const RuleInfo rule{.name = R"(a"b)", .remediation = "Ask\nops."};
  DenialAnswer denial = refusal(rule, Trust::system);
  denial.reason = Reason::limited;
  const ReadAnswer answer(denial);
  EXPECT_EQ(answer.data().find("policy_rule").text(), R"(a"b)");
  EXPECT_EQ(answer.data().find("remediation").text(), "Ask\nops.");
  EXPECT_EQ(answer.data().find("pointer").text(), "/path");
  EXPECT_EQ(answer.data().find("retryable").boolean(), true);
  EXPECT_EQ(answer.data().find("retry_after_ms").integer(), 1500);
  const ReadAnswer final_one(refusal(rule, Trust::system));
  EXPECT_EQ(final_one.data().find("retryable").boolean(), false);
}

// Clients show their users the sentence alone.
TEST(AnswerDenial, SaysInItsSentenceWhatToDoNext) {
  using std::chrono::milliseconds;
  const RuleInfo limit{.name = "tool"};
  const auto sentence = [](DenialAnswer denial) {
    return std::string(ReadAnswer(denial).sentence());
  };
  const struct {
    milliseconds wait;
    std::string_view text;
  } waits[] = {{milliseconds(9), "9 ms"},           {milliseconds(1'001), "2 s"},
               {milliseconds(119'001), "2 min"},    {milliseconds(119'000), "119 s"},
               {milliseconds(120'001), "3 min"},    {milliseconds(7'200'001), "3 h"},
               {milliseconds(86'400'000), "1 day"}, {milliseconds(200'000'000), "3 days"}};
  for (const auto& wait : waits) {
    EXPECT_EQ(sentence({.reason = Reason::limited,
                        .rule = &limit,
                        .decision_id = "0190",
                        .id_json = "1",
                        .retry_after = wait.wait}),
              "The limit \"tool\" is used up; try again in " + std::string(wait.text) +
                  " (decision 0190).");
  }
  const DenialAnswer down{.reason = Reason::server_unavailable,
                          .decision_id = "0190",
                          .id_json = "1",
                          .trust = Trust::system,
                          .detail = "program \"x\" not found in PATH"};
  EXPECT_EQ(sentence(down),
            "The server is not available: program \"x\" not found in PATH (decision 0190).");
  // What a detail says, the reason's own sentence does not say again.
  const struct {
    Reason reason;
    Trust trust;
    std::string_view detail;
    std::string_view want;
  } details[] = {
      {Reason::server_timeout, Trust::untrusted,
       "the server did not answer within 60 s, the timeout of [server.files]",
       "The server did not answer within 60 s, the timeout of [server.files] (decision 0190)."},
      {Reason::server_timeout, Trust::system, "",
       "The server did not answer in time (decision 0190)."},
      {Reason::server_failed, Trust::system, "the server answered HTTP status 500",
       "The server answered HTTP status 500 (decision 0190)."},
      {Reason::server_failed, Trust::system, "the server's message cannot be read: not JSON",
       "The server's message cannot be read: not JSON (decision 0190)."},
      {Reason::server_failed, Trust::verified, "the server answered HTTP status 500",
       "The server failed or broke the protocol (decision 0190)."},
      {Reason::server_unavailable, Trust::system, "no server has answered; a: not found",
       "No server has answered; a: not found (decision 0190)."},
  };
  for (const auto& d : details) {
    EXPECT_EQ(sentence({.reason = d.reason,
                        .decision_id = "0190",
                        .id_json = "1",
                        .trust = d.trust,
                        .detail = d.detail}),
              d.want);
  }
  EXPECT_EQ(sentence({.reason = Reason::argument_unguarded,
                      .pointer = "/head",
                      .decision_id = "0190",
                      .id_json = "1",
                      .trust = Trust::verified}),
            "Policy says nothing about this argument, so it is refused: /head (decision 0190).");
  DenialAnswer to_others = down;
  to_others.trust = Trust::verified;
  EXPECT_EQ(sentence(to_others), "The server is not available (decision 0190).");
}

// What the disk says is no secret of the argument's, and still none of everybody's business.
TEST(AnswerDenial, SaysWhatTheDiskSaidToWhomItMay) {
  for (std::size_t i = 1; i < kOutsideRefusals; ++i) {
    const auto outside = static_cast<OutsideRefusal>(i);
    const std::string said(text(outside));
    SCOPED_TRACE(said);
    for (const Trust trust : {Trust::untrusted, Trust::community, Trust::verified, Trust::system}) {
      const ReadAnswer answer({.reason = Reason::path_not_allowed,
                               .pointer = "/path",
                               .outside = outside,
                               .decision_id = kDecisionId,
                               .id_json = "1",
                               .trust = trust});
      const bool may = trust >= Trust::verified;
      EXPECT_EQ(answer.data().find("detail").text(), may ? said : "");
      EXPECT_EQ(answer.sentence().find("/path " + said + " (") != std::string::npos, may);
    }
    DenialAnswer hidden{.reason = Reason::path_not_allowed,
                        .is_hidden = true,
                        .pointer = "/path",
                        .outside = outside,
                        .id_json = "1",
                        .trust = Trust::system};
    EXPECT_EQ(ReadAnswer(hidden).text().find(said), std::string::npos);
  }
}

// A hidden refusal must not differ from a tool that is not there, whatever was found out about it.
TEST(AnswerDenial, HidesByteForByte) {
  for (const bool as_result : {false, true}) {
    for (const Reason reason :
         {Reason::forbidden, Reason::needs_approval, Reason::limited, Reason::path_outside_root,
          Reason::header_mismatch, Reason::server_timeout}) {
      for (const Trust trust :
           {Trust::untrusted, Trust::community, Trust::verified, Trust::system}) {
        for (const Era era : {Era::legacy, Era::modern}) {
          SCOPED_TRACE(std::string(text(reason)) + " for trust " + std::string(text(trust)));
          const RuleInfo rule{.name = "secret-rule",
                              .remediation = "Ask ops.",
                              .hide = true,
                              .answer_as_result = as_result};
          DenialAnswer hidden = refusal(rule, trust);
          hidden.is_hidden = true;
          hidden.permission = "read:filesystem";
          hidden.reason = reason;
          hidden.era = era;
          const DenialAnswer missing{.reason = Reason::tool_unknown,
                                     .decision_id = kDecisionId,
                                     .id_json = "7",
                                     .era = era,
                                     .trust = trust,
                                     .is_tool_call = true};
          EXPECT_EQ(ReadAnswer(hidden).text(), ReadAnswer(missing).text());
          EXPECT_EQ(ReadAnswer(hidden).protocol_error(), std::nullopt);
        }
      }
    }
  }
}

// Whoever is not told what the disk has against a path does not learn it from the reason either.
TEST(AnswerDenial, TellsWhatTheDiskHoldsByTrust) {
  for (const Trust trust : {Trust::untrusted, Trust::community, Trust::verified, Trust::system}) {
    SCOPED_TRACE(static_cast<int>(trust));
    const bool is_told = trust >= Trust::verified;
    for (const Era era : {Era::legacy, Era::modern}) {
      DenialAnswer unreachable{.reason = Reason::path_unreachable,
                               .pointer = "/path",
                               .outside = OutsideRefusal::leads_nowhere,
                               .decision_id = kDecisionId,
                               .id_json = "7",
                               .era = era,
                               .trust = trust,
                               .is_tool_call = true};
      DenialAnswer unresolved = unreachable;
      unresolved.reason = Reason::path_unresolved;
      unresolved.outside = OutsideRefusal::none;
      EXPECT_EQ(ReadAnswer(unreachable).text() == ReadAnswer(unresolved).text(), !is_told);
      const ReadAnswer answer(unreachable);
      const JsonValue data = answer.root.at_pointer("/error/data");
      EXPECT_EQ(data.find("reason").text(), is_told ? "path_unreachable" : "path_unresolved");
      EXPECT_EQ(data.find("retryable").boolean(), !is_told);
    }
  }
}

TEST(AnswerDenial, AnswersAsAResultWhereTheRuleSaysSo) {
  const RuleInfo rule{.name = "staff-may", .remediation = "Ask ops.", .answer_as_result = true};
  const struct {
    std::string_view name;
    Era era;
    bool is_tool_call;
    bool is_result;
    std::string_view result_type;
  } cases[] = {
      {"a legacy tool call", Era::legacy, true, true, ""},
      {"a modern tool call", Era::modern, true, true, "complete"},
      {"another method has no such result", Era::modern, false, false, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    DenialAnswer denial = refusal(rule, Trust::community);
    denial.era = c.era;
    denial.is_tool_call = c.is_tool_call;
    const ReadAnswer answer(denial);
    const JsonValue result = answer.root.find("result");
    EXPECT_EQ(static_cast<bool>(result), c.is_result);
    EXPECT_EQ(static_cast<bool>(answer.root.find("error")), !c.is_result);
    EXPECT_EQ(answer.root.find("id").integer(), 7);
    if (!c.is_result) continue;
    EXPECT_EQ(result.find("isError").boolean(), true);
    EXPECT_EQ(result.find("resultType").text(), c.result_type);
    EXPECT_EQ(result.at_pointer("/content/0/type").text(), "text");
    EXPECT_TRUE(result.at_pointer("/content/0/text").text().ends_with("Ask ops."));
    const JsonValue told = result.find("_meta").find("bartizan/denial");
    EXPECT_EQ(told.find("reason").text(), "path_outside_root");
    EXPECT_FALSE(told.find("policy_rule")) << "the trust holds for results too";
  }
}

// Nothing of a target or an argument is repeated, but for the URI that the protocol asks for.
TEST(AnswerDenial, RepeatsNoValue) {
  for (int i = 0; i <= static_cast<int>(kLastReason); ++i) {
    const auto reason = static_cast<Reason>(i);
    SCOPED_TRACE(text(reason));
    const ReadAnswer answer({.reason = reason,
                             .decision_id = kDecisionId,
                             .id_json = "1",
                             .trust = Trust::system,
                             .is_tool_call = true,
                             .resource = "file:///etc/shadow"});
    const bool repeats = answer.text().find("shadow") != std::string::npos;
    EXPECT_EQ(repeats, reason == Reason::resource_unknown);
  }
}

TEST(AnswerDenial, NamesTheReasonOfAnError) {
  const struct {
    ErrorCode code;
    Reason reason;
  } cases[] = {
      {ErrorCode::timed_out, Reason::server_timeout},
      {ErrorCode::overloaded, Reason::overloaded},
      {ErrorCode::not_recordable, Reason::not_recordable},
      {ErrorCode::io_failed, Reason::server_unavailable},
      {ErrorCode::server_unavailable, Reason::server_unavailable},
      {ErrorCode::server_failed, Reason::server_failed},
      {ErrorCode::http_framing, Reason::server_failed},
      {ErrorCode::json_syntax, Reason::server_failed},
      {ErrorCode::closed, Reason::server_failed},
  };
  for (const auto& c : cases)
    EXPECT_EQ(reason_of({c.code, Fault::server}), c.reason) << error_text(c.code);
}

TEST(AnswerDenial, AnswersWhatIsNoCallInTheProtocolsOwnWords) {
  const Answer answer = answer_protocol_error(ErrorCode::unsupported_version, "no \"such\" version",
                                              R"("x")", R"({"supported":[]})");
  EXPECT_EQ(answer.message,
            R"({"jsonrpc":"2.0","id":"x","error":{"code":-32022,"message":"no \"such\" version",)"
            R"("data":{"supported":[]}}})");
  EXPECT_EQ(answer.protocol_error, ErrorCode::unsupported_version);
}

const std::vector<SchemaViolation> kViolations = {
    {.pointer = "/head", .keyword = "minimum", .expected = "at least 1"},
    {.pointer = "", .keyword = "required", .expected = "the member \"path\""}};

DenialAnswer misfit(Reason reason, ProtocolVersion version, Trust trust) {
  return {.reason = reason,
          .pointer = "/head",
          .decision_id = kDecisionId,
          .id_json = "7",
          .era = era(version),
          .trust = trust,
          .is_tool_call = true,
          .violations = &kViolations,
          .version = version};
}

TEST(AnswerDenial, TellsModelsWhatTheSchemaWants) {
  const std::string sentence =
      "The arguments do not fit the tool's input schema: /head: expected at least 1 (minimum); the "
      "whole: expected the member \"path\" (required) (decision " +
      std::string(kDecisionId) + ").";
  for (const Trust trust : {Trust::untrusted, Trust::community, Trust::verified, Trust::system}) {
    for (const ProtocolVersion version :
         {ProtocolVersion::v2025_11_25, ProtocolVersion::v2026_07_28}) {
      const ReadAnswer answer(misfit(Reason::arguments_invalid, version, trust));
      EXPECT_EQ(answer.root.at_pointer("/result/content/0/text").text(), sentence);
      EXPECT_EQ(answer.root.at_pointer("/result/isError").boolean(), true);
      const JsonValue denial = answer.root.find("result").find("_meta").find("bartizan/denial");
      EXPECT_EQ(denial.find("reason").text(), "arguments_invalid");
      EXPECT_EQ(denial.find("violations").raw(),
                R"([{"pointer":"/head","keyword":"minimum","expected":"at least 1"},)"
                R"({"pointer":"","keyword":"required","expected":"the member \"path\""}])");
    }
    // Before, it is an error of the protocol's.
    const ReadAnswer answer(misfit(Reason::arguments_invalid, ProtocolVersion::v2025_06_18, trust));
    EXPECT_EQ(answer.code(), -32602);
    EXPECT_EQ(answer.sentence(), sentence);
    EXPECT_TRUE(answer.data().find("violations"));
  }
}

TEST(AnswerDenial, TellsOfTheOperatorsSchemaWhoIsTrusted) {
  for (const Trust trust : {Trust::untrusted, Trust::community}) {
    const ReadAnswer answer(misfit(Reason::argument_refused, ProtocolVersion::v2025_11_25, trust));
    EXPECT_EQ(answer.code(), -32000);
    EXPECT_EQ(answer.text().find("head"), std::string::npos) << answer.text();
    EXPECT_EQ(answer.text().find("minimum"), std::string::npos) << answer.text();
  }
  for (const Trust trust : {Trust::verified, Trust::system}) {
    const ReadAnswer answer(misfit(Reason::argument_refused, ProtocolVersion::v2025_11_25, trust));
    EXPECT_EQ(answer.data().at_pointer("/violations/0/pointer").text(), "/head");
  }
}

TEST(AnswerDenial, HidesWhatARuleHides) {
  const RuleInfo rule{.name = "hidden", .remediation = {}, .hide = true, .answer_as_result = false};
  DenialAnswer denial =
      misfit(Reason::arguments_invalid, ProtocolVersion::v2025_11_25, Trust::system);
  denial.rule = &rule;
  denial.is_hidden = true;
  const ReadAnswer answer(denial);
  EXPECT_EQ(answer.data().find("reason").text(), "tool_unknown");
  EXPECT_EQ(answer.text().find("head"), std::string::npos) << answer.text();
}

}  // namespace
}  // namespace bartizan
