#include "gateway/call/clean_message.h"

#include <optional>

#include "gateway/call/redact_message.h"
#include "gateway/call/resource_names.h"
#include "gateway/call/sanitise_message.h"
#include "gateway/runtime/clock.h"
#include "gateway/worker/redact_text.h"

namespace bartizan {
namespace {

Carrier carrier_of(const Message& message) {
  switch (message.kind) {
    case MessageKind::response:
      return Carrier::results;
    case MessageKind::error_response:
      return Carrier::errors;
    case MessageKind::notification:
      return Carrier::notifications;
    default:
      return Carrier::requests;
  }
}

/// Which rules a message meets. It is asked anew once a message was rewritten.
RedactionScope scope_of(const CallFrame& frame, const Principal& principal, const Message& message,
                        const std::vector<std::string_view>& before) {
  const bool is_tool = frame.call.target_kind == TargetKind::tool;
  // A modern server asks within its result.
  const bool asks = static_cast<bool>(message.result.find("inputRequests"));
  return {.carrier = carrier_of(message),
          .also = asks ? std::optional(Carrier::requests) : std::nullopt,
          .server = frame.call.server,
          .tool = is_tool ? frame.call.target : std::string_view(),
          .principal = &principal,
          .now = seconds_now(),
          .answered = {.method = frame.method(), .era = frame.inbound.era},
          .before = before};
}

RewriteOutcome clean(CallFrame& frame, ReceivedMessage& received,
                     const std::vector<std::string_view>& before) {
  const PrincipalPtr principal = reader_of(frame);
  // Whom the policy of now does not know, no rule of its roles protects.
  if (principal == nullptr) return RewriteOutcome::withheld;
  const auto scope_now = [&] { return scope_of(frame, *principal, received.message, before); };
  // In plain text nothing hides, so the redactor need not ask what sanitising let pass.
  const bool is_plain = received.message.root.is_of_plain_text();

  note_mended(frame, scope_now().carrier, received.mended);

  // 1. Sanitise. First, so that a secret in pieces is one text again.
  if (sanitise_message(frame, scope_now(), received) == RewriteOutcome::withheld)
    return RewriteOutcome::withheld;

  // 2. Redact.
  RedactionScope scope = scope_now();
  if (!is_plain) scope = once_sanitised(policy_of(frame), scope);
  const RedactionStep redacted = redact_message(frame, scope, received);
  if (redacted == RedactionStep::withheld) return RewriteOutcome::withheld;
  if (redacted == RedactionStep::found_nothing) return RewriteOutcome::passes;

  // 3. Check again. A mark ends with a bracket, and what stands after it may make a link of the
  // two.
  if (redacted == RedactionStep::rewritten &&
      sanitise_message(frame, scope, received) == RewriteOutcome::withheld) {
    return RewriteOutcome::withheld;
  }

  // 4. Screen. Last, because a warning between two texts must not hide what they are together.
  return screen_message(frame, scope, received);
}

}  // namespace

RewriteOutcome clean_message(CallFrame& frame, ReceivedMessage& received,
                             const std::vector<std::string_view>& before) {
  if (clean(frame, received, before) == RewriteOutcome::withheld) return RewriteOutcome::withheld;
  // 5. Name. Last, since everything before judges the server's own URIs.
  return name_resources(frame, received);
}

}  // namespace bartizan
