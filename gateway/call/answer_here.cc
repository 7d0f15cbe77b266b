#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/discovery.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/redact_message.h"
#include "gateway/call/resource_names.h"
#include "gateway/catalogue/naming.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/upstream/server_handshake.h"
#include "gateway/worker/redact_text.h"
#include "policy/check/check_access.h"
#include "policy/check/check_features.h"
#include "policy/check/listed_tool.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// When to try again where there are as many sessions as may be: the oldest may have ended by then.
constexpr std::chrono::seconds kSessionPause{10};

void remember_client(Session& session, const Message& message, Announced answers) {
  const JsonValue info = message.params.find("clientInfo");
  session.client_name = client_label(info.find("name").text());
  session.client_version = client_label(info.find("version").text());
  if (answers == Announced::answers_only) return;  // It would take a question for an answer.
  session.client_features = read_declared_features(message.params.find("capabilities"));
}

/// The servers that the client's endpoint shows, without blocked ones: what these say of themselves
/// is not passed on either. Lifetime: views the frame.
ShownServers shown_to(const CallFrame& frame) {
  return [&frame](std::string_view server) {
    return frame.policy().shows_server(frame.call.facts.endpoint, server) &&
           !is_server_blocked(frame.worker.gateway.revocations.get(), server);
  };
}

/// Says which bound was met, and that one may come back.
Task<void> refuse_session(CallFrame& frame, SessionBound bound) {
  const bool is_own = bound == SessionBound::principal;
  const AnswerStatus status{.status = is_own ? 429 : 503,
                            .headers = {{"Retry-After", std::to_string(kSessionPause.count())}}};
  RefusalDetail detail{
      .retry_after = kSessionPause,
      .detail = is_own ? "the principal has reached [session] max_concurrent"
                       : "all principals together have reached [session] max_concurrent_sessions",
      .status = std::make_shared<const AnswerStatus>(status)};
  Denial denial{"gateway", Decision::deny(Reason::session_limit)};
  co_await refuse_call(frame, std::move(denial), std::move(detail));
}

Announced announced_to(const CallFrame& frame) {
  return frame.inbound.answers_only ? Announced::answers_only : Announced::news;
}

/// Servers leave tools that need these out of their lists without a word, so the log says why.
void tell_withheld(const CallFrame& frame) {
  const JsonValue offered = frame.message().params.find("capabilities");
  std::string withheld;
  const auto is_passed_on = [&frame](ClientFeature feature) {
    return std::ranges::any_of(frame.snapshot().config.servers, [feature](const auto& server) {
      return allows(server.second.client_features, feature);
    });
  };
  for (const auto& [name, feature] : {std::pair("sampling", ClientFeature::sampling),
                                      std::pair("elicitation", ClientFeature::elicitation),
                                      std::pair("roots", ClientFeature::roots)}) {
    if (!offered.find(name) || is_passed_on(feature)) continue;
    withheld += (withheld.empty() ? "" : ", ") + std::string(name);
  }
  if (withheld.empty()) return;
  log(LogLevel::info, "client features not passed on",
      {{"offered", withheld}, {"hint", "client_features, or wrap --allow"}});
}

}  // namespace

bool is_answered_here(MethodId method) {
  switch (method) {
    case MethodId::initialize:
    case MethodId::server_discover:
    case MethodId::ping:
      return true;
    default:
      return is_list(method);
  }
}

bool is_list(MethodId method) {
  switch (method) {
    case MethodId::tools_list:
    case MethodId::prompts_list:
    case MethodId::resources_list:
    case MethodId::resources_templates_list:
    case MethodId::skills_list:
      return true;
    default:
      return false;
  }
}

Task<void> answer_here(CallFrame& frame) {
  switch (frame.method()) {
    case MethodId::initialize:
      co_return co_await answer_initialize(frame);
    case MethodId::server_discover:
      co_return co_await answer_discover(frame);
    case MethodId::ping:
      co_await finish_with_result(frame, "{}");
      co_return;
    default:
      co_return co_await answer_list(frame);
  }
}

Task<bool> finish_with_result(CallFrame& frame, std::string_view result_json,
                              std::string session_id, MemoryShares::Held memory) {
  Answer answer{.message = write_result(frame.id_text, result_json),
                .session_id = std::move(session_id),
                .memory = std::move(memory)};
  frame.findings.bytes_out = answer.message.size();
  const Result<void> recorded = co_await record_outcome(frame, {});
  if (!recorded.has_value()) {
    co_await refuse_call(frame, Reason::not_recordable);
    co_return false;
  }
  frame.exchange->finish(std::move(answer));
  co_return true;
}

std::string shown_identity(CallFrame& frame) {
  if (!frame.snapshot().config.client.shows_server_identity) return gateway_info();
  const ShownServers shows = shown_to(frame);
  for (const auto& [name, server] : frame.worker.directory->servers) {
    const auto& said = server.said_for(frame.inbound.era);
    if (!said.has_value() || said->identity.empty() || !shows(name)) continue;
    if (const auto left = redact_identity(frame, said->identity)) return *left;
  }
  return gateway_info();
}

Task<void> answer_initialize(CallFrame& frame) {
  const ProtocolVersion version =
      negotiate_legacy(frame.message().params.find("protocolVersion").text());
  std::shared_ptr<Session> session;
  for (bool is_swept = false; session == nullptr; is_swept = true) {
    // Those whose time is over may only wait to be swept, wherever they are.
    if (is_swept) co_await expire_everywhere(frame.worker.loop, frame.worker.gateway);
    // A session begins as the policy of now knows its principal.
    const auto present = review_caller(frame);
    if (!present.has_value()) co_return co_await refuse_call(frame, present.error().reason);
    frame.inbound.caller.principal = *present;
    auto begun = frame.worker.sessions.begin(frame.inbound.caller, frame.snapshot().config.session,
                                             frame.worker.random.draw<16>(), steady_now());
    if (begun.has_value()) {
      session = *std::move(begun);
    } else if (is_swept) {
      co_return co_await refuse_session(frame, begun.error());
    }
  }
  // Other clients may come often, and their operator is another than their user.
  if (kind_of(frame.inbound.transport).is_own_process) tell_withheld(frame);
  session->version = version;
  remember_client(*session, frame.message(), announced_to(frame));
  const Directory& directory = *frame.worker.directory;
  session->offered =
      offered_by(directory, frame.snapshot().config.servers, Era::legacy, shown_to(frame));
  std::string result = R"({"protocolVersion":")";
  result += text(version);
  result += R"(","capabilities":)" + merged_capabilities(session->offered, announced_to(frame));
  result += R"(,"serverInfo":)";
  result += shown_identity(frame);
  const std::string instructions =
      redact_instructions(frame, merged_instructions(directory, Era::legacy, shown_to(frame)));
  if (!instructions.empty()) {
    result += R"(,"instructions":)";
    append_json_string(result, instructions);
  }
  // A session that its client never hears of is not kept.
  const bool told = co_await finish_with_result(frame, result + "}", session->id);
  if (!told) frame.worker.sessions.end(session->id);
}

Task<void> answer_discover(CallFrame& frame) {
  const Directory& directory = *frame.worker.directory;
  std::string result = R"({"supportedVersions":[")";
  result += text(kNewestModernVersion);
  const AdvertisedFeatures offered =
      offered_by(directory, frame.snapshot().config.servers, Era::modern, shown_to(frame));
  result += R"("],"capabilities":)" + merged_capabilities(offered, announced_to(frame));
  const std::string instructions =
      redact_instructions(frame, merged_instructions(directory, Era::modern, shown_to(frame)));
  if (!instructions.empty()) {
    result += R"(,"instructions":)";
    append_json_string(result, instructions);
  }
  co_await finish_with_result(frame, result + result_ending(frame));
}

}  // namespace bartizan
