#include <optional>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/validate_answer.h"
#include "policy/check/check_elicitation.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Of a server that wants its users sent somewhere first. Source: MCP 2025-11-25, schema,
/// "URLElicitationRequiredError".
constexpr std::int64_t kUrlElicitationRequired = -32042;

/// The request that a client is asked to take as one, as a message of its own.
std::string request_text(std::string_view method, JsonValue params) {
  std::string text = R"({"jsonrpc":"2.0","id":0,"method":)";
  append_json_string(text, method);
  if (params) text += R"(,"params":)" + std::string(params.raw());
  return text + "}";
}

Judgement judgement_of(const Decision& decision, std::string_view check) {
  if (!decision.denies()) return {.decision = "permit"};
  return {
      .decision = "deny", .reason = decision.reason, .rule = decision.rule_name(), .check = check};
}

/// Judges one request, and records what was decided.
Task<Decision> judge_request(CallFrame& frame, std::string_view method, JsonValue params) {
  Bytes bytes(request_text(method, params));
  auto document = frame.worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes);
  const Result<Message> read =
      root.has_value() ? parse_message(*root) : std::unexpected(root.error());
  // What is no request is recorded as one of no method, and refused.
  Message message = read.value_or(Message());
  if (!read.has_value()) message.known = &find_method(MethodId::unknown);
  Call call = server_call(frame, message, SealedBytes(std::move(bytes)), frame_features(frame));
  call.facts.is_input_request = true;
  Decision decision = Decision::deny(Reason::method_not_found);
  std::string_view check = "features";
  if (read.has_value()) {
    const Verdict verdict = frame.policy().judge(call);
    const auto* denial = std::get_if<Denial>(&verdict);
    decision = denial == nullptr ? Decision::pass() : denial->decision;
    if (denial != nullptr) check = denial->check;
  }
  if (decision.denies() && ++frame.findings.refused_requests > kRefusedSinglyMax) {
    frame.worker.upstream_events.dropped(frame.target.upstream.key(), "request_flood");
    frame.worker.loop.give_back(std::move(document));
    co_return decision;
  }
  const Result<void> recorded = co_await record_server_request(
      frame, message, frame.worker.next_decision_id(), judgement_of(decision, check));
  // A refusal is one also where it cannot be recorded.
  if (!recorded.has_value() && !decision.denies()) {
    decision = Decision::deny(Reason::not_recordable);
  }
  frame.worker.loop.give_back(std::move(document));
  co_return decision;
}

/// Requests of a result that wants more input, by names of the server's.
Task<Decision> judge_inputs(CallFrame& frame, JsonValue requests) {
  if (!requests.is(JsonType::object)) co_return Decision::deny(Reason::server_failed);
  std::size_t count = 0;
  for (const JsonValue entry : requests) {
    if (++count > limits::input_requests_max ||
        has_ambiguous_member(entry, MemberPlace::envelope) ||
        entry.raw().size() > limits::request_bytes_max) {
      co_return Decision::deny(Reason::server_failed);
    }
    Decision decision =
        co_await judge_request(frame, entry.find("method").text(), entry.find("params"));
    if (decision.denies()) co_return decision;
  }
  co_return Decision::pass();
}

/// URLs that users are to visit before the call can succeed.
Task<Decision> judge_urls(CallFrame& frame, JsonValue elicitations) {
  if (!elicitations.is(JsonType::array)) co_return Decision::deny(Reason::server_failed);
  std::size_t count = 0;
  for (const JsonValue entry : elicitations) {
    if (++count > limits::input_requests_max || entry.raw().size() > kElicitationBytesMax) {
      co_return Decision::deny(Reason::server_failed);
    }
    // Whatever it says of itself, a client takes it for a URL.
    if (entry.find("mode").text() != "url") co_return Decision::deny(Reason::url_not_allowed);
    Decision decision = co_await judge_request(frame, "elicitation/create", entry);
    if (decision.denies()) co_return decision;
  }
  co_return Decision::pass();
}

}  // namespace

Task<Decision> judge_input_requests(CallFrame& frame, const Message& answer) {
  if (const JsonValue requests = answer.result.find("inputRequests")) {
    co_return co_await judge_inputs(frame, requests);
  }
  if (answer.error.find("code").integer() != kUrlElicitationRequired) co_return Decision::pass();
  co_return co_await judge_urls(frame, answer.error.find("data").find("elicitations"));
}

}  // namespace bartizan
