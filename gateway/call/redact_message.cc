#include "gateway/call/redact_message.h"

#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/worker/redact_text.h"
#include "policy/redact/restore_tokens.h"

namespace bartizan {
namespace {

/// What is left of a text that the call's answer is made of; what was found goes on its record.
std::optional<std::string> left_of(CallFrame& frame, RedactedText done) {
  for (const Sanitised& one : done.sanitised)
    add(frame.findings.sanitised, one);
  for (const Redacted& one : done.redacted)
    add(frame.findings.redacted, one);
  return std::move(done.left);
}

/// What tokens in the call's arguments stood for is a token again where the server repeats it.
RewriteOutcome hide_again(CallFrame& frame, const Answered& answered, ReceivedMessage& received) {
  const auto edits = hide_restored(received.message.root, payload_of(received.message), answered,
                                   frame.rewrites.restored_values);
  if (edits.empty()) return RewriteOutcome::passes;
  for (const Redacted& one : frame.rewrites.restored_tokens) {
    if (one.action != kRestored) continue;
    add(frame.findings.redacted, {one.detector, text(RedactionAction::tokenise), 1});
  }
  std::string left;
  append_redacted(left, received.bytes.view(), edits);
  return read_again(frame, received, std::move(left));
}

/// What policy does not let into arguments of the call.
Redaction redaction_of(CallFrame& frame, JsonValue arguments) {
  if (!arguments) return {};
  const bool is_tool = frame.call.target_kind == TargetKind::tool;
  const RedactionScope scope{.carrier = Carrier::arguments,
                             .server = frame.call.server,
                             .tool = is_tool ? frame.call.target : std::string_view(),
                             .principal = &frame.principal(),
                             .now = seconds_now()};
  return frame.worker.redactor.redact(frame.policy().redactions(), scope, arguments, arguments);
}

std::optional<std::string> redacted_text(const Redaction& redaction, std::string_view bytes) {
  if (redaction.edits.empty()) return std::nullopt;
  std::string text;
  append_redacted(text, bytes, redaction.edits);
  return text;
}

}  // namespace

RedactionStep redact_message(CallFrame& frame, const RedactionScope& scope,
                             ReceivedMessage& received) {
  if (!frame.rewrites.restored_values.empty() &&
      hide_again(frame, scope.answered, received) == RewriteOutcome::withheld) {
    return RedactionStep::withheld;
  }
  const Redaction redaction = frame.worker.redactor.redact(
      policy_of(frame).redactions(), scope, received.message.root, payload_of(received.message));
  // One search was for both.
  if (redaction.is_without_orders) return RedactionStep::found_nothing;
  if (redaction.redacted.empty()) return RedactionStep::unchanged;
  frame.worker.gateway.tokens.keep(scope.principal->id, scope.server, redaction.tokens);
  count_redacted(frame.worker, scope.carrier, redaction);
  for (const Redacted& one : redaction.redacted)
    add(frame.findings.redacted, one);
  if (redaction.is_withheld) return RedactionStep::withheld;
  if (redaction.edits.empty()) return RedactionStep::unchanged;
  std::string left;
  append_redacted(left, received.bytes.view(), redaction.edits);
  const RewriteOutcome passage = read_again(frame, received, std::move(left));
  return passage == RewriteOutcome::withheld ? RedactionStep::withheld : RedactionStep::rewritten;
}

std::expected<std::optional<std::string>, Reason> redact_arguments(CallFrame& frame) {
  frame.rewrites.redacted_arguments.clear();
  frame.rewrites.withholds_arguments = false;
  const Redaction redaction = redaction_of(frame, frame.message().arguments);
  if (redaction.redacted.empty()) return std::nullopt;
  frame.rewrites.redacted_arguments = redaction.redacted;
  frame.rewrites.withholds_arguments = redaction.is_withheld;
  return redacted_text(redaction, frame.call.bytes.view());
}

std::optional<std::string> redacted_copy(CallFrame& frame, JsonValue arguments,
                                         std::string_view bytes) {
  return redacted_text(redaction_of(frame, arguments), bytes);
}

std::optional<std::string> redact_definition(CallFrame& frame, std::string_view server,
                                             std::string_view tool, const std::string& json) {
  const RedactionScope scope{.carrier = Carrier::definitions,
                             .server = server,
                             .tool = tool,
                             .principal = &frame.principal(),
                             .now = seconds_now()};
  return left_of(frame, redact_json(frame.worker, frame.policy(), scope, json));
}

std::string redact_instructions(CallFrame& frame, const std::string& text) {
  const RedactionScope scope{
      .carrier = Carrier::definitions, .principal = &frame.principal(), .now = seconds_now()};
  return left_of(frame, redact_text(frame.worker, frame.policy(), scope, text))
      .value_or(std::string(kWithheldText));
}

std::optional<std::string> redact_identity(CallFrame& frame, const std::string& json) {
  const RedactionScope scope{
      .carrier = Carrier::definitions, .principal = &frame.principal(), .now = seconds_now()};
  return left_of(frame, redact_json(frame.worker, frame.policy(), scope, json));
}

}  // namespace bartizan
