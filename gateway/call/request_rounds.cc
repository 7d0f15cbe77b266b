#include "gateway/call/request_rounds.h"

#include <utility>

#include "gateway/bridge/request_state.h"
#include "gateway/call/ask_approval.h"
#include "gateway/call/rewrite_message.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// So often a server may answer one request by asking for input.
constexpr std::uint32_t kRoundsMax = 32;

/// Whether a server may answer that by asking for input.
bool has_rounds(const CallFrame& frame) {
  if (frame.inbound.era == Era::legacy) return false;
  const MethodId method = frame.method();
  return method == MethodId::tools_call || method == MethodId::prompts_get ||
         method == MethodId::resources_read;
}

/// As the client sent it: how it is rewritten may differ from one time to the next.
StateSubject subject_of(const CallFrame& frame) {
  const Message& sent = frame.inbound.received.message;
  const JsonValue target = sent.uri ? sent.uri : sent.name;
  return {.principal = frame.principal().id,
          .endpoint = frame.call.facts.endpoint.value_or(""),
          .server = frame.call.server,
          .generation = frame.target.upstream.key().generation,
          .method = frame.method_name(),
          .target = target.text(),
          .arguments = sent.arguments};
}

}  // namespace

Reason open_request_state(CallFrame& frame) {
  frame.rewrites.request_state.reset();
  // Of a call that was made, nobody is sent its state again.
  if (!has_rounds(frame) || frame.inbound.of_task != nullptr) return Reason::none;
  const JsonValue sealed = frame.inbound.received.message.params.find("requestState");
  if (!sealed || is_own_state(sealed)) return Reason::none;
  // Whom the call is for is in what was sealed: without a target there is no such state.
  auto state = open_state(sealed.text(), subject_of(frame), frame.call.facts.now,
                          frame.worker.gateway.request_state_key);
  if (!state.has_value()) return Reason::request_state_invalid;
  frame.rewrites.request_state = std::move(*state);
  return Reason::none;
}

void splice_request_state(const CallFrame& frame, Permit& permit) {
  if (!frame.rewrites.request_state.has_value()) return;
  const JsonValue sealed = frame.message().params.find("requestState");
  permit.splice(SpliceKind::request_state, sealed.range(),
                json_string(frame.rewrites.request_state->text));
}

std::optional<std::string> seal_request_state(CallFrame& frame, ReceivedMessage& answer) {
  const JsonValue result = answer.message.result;
  if (!has_rounds(frame) || result.find("resultType").text() != "input_required") {
    return std::nullopt;
  }
  const JsonValue state = result.find("requestState");
  if (!state) return std::nullopt;
  if (!state.is(JsonType::string)) return "the server's requestState is not a string";
  if (state.raw().size() > limits::request_state_bytes_max) {
    return "the server's requestState is too long";
  }
  const auto& before = frame.rewrites.request_state;
  const std::uint32_t rounds = (before.has_value() ? before->rounds : 0) + 1;
  if (rounds > kRoundsMax) return "the server asked for input too often";
  const std::string sealed =
      seal_state({.text = std::string(state.text()), .rounds = rounds}, subject_of(frame),
                 frame.call.facts.now, frame.worker.gateway.request_state_key, frame.worker.random);
  std::string left;
  append_spliced(left, answer.bytes.view(),
                 {{SpliceKind::request_state, state.range(), json_string(sealed)}});
  const bool is_read =
      read_again(frame, answer, std::move(left), Copies::differ) == RewriteOutcome::passes;
  if (!is_read) return "the server's answer is too large";
  return std::nullopt;
}

}  // namespace bartizan
