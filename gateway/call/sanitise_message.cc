#include "gateway/call/sanitise_message.h"

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "gateway/worker/redact_text.h"

namespace bartizan {
namespace {

/// What was found is counted, and goes on the call's record.
void note(CallFrame& frame, const RedactionScope& scope, const Sanitisation& sanitised) {
  count_sanitised(frame.worker, scope.carrier, sanitised);
  for (const Sanitised& one : sanitised.found)
    add(frame.findings.sanitised, one);
}

/// Sanitises a message, and reads again what is left of it. True where it is another message now.
std::expected<bool, RewriteOutcome> sanitise_and_read(CallFrame& frame, const Sanitising& wanted,
                                                      const RedactionScope& scope,
                                                      ReceivedMessage& received, Copies copies) {
  Sanitisation sanitised =
      sanitise(wanted, received.message.root, payload_of(received.message), scope.answered);
  note(frame, scope, sanitised);
  if (sanitised.is_withheld) return std::unexpected(RewriteOutcome::withheld);
  if (!sanitised.left.has_value()) return false;
  if (read_again(frame, received, std::move(*sanitised.left), copies) == RewriteOutcome::withheld) {
    return std::unexpected(RewriteOutcome::withheld);
  }
  const Sanitisation unjudged =
      find_unjudged_app(wanted, received.message.root, payload_of(received.message));
  note(frame, scope, unjudged);
  if (unjudged.is_withheld) return std::unexpected(RewriteOutcome::withheld);
  return true;
}

}  // namespace

void note_mended(CallFrame& frame, Carrier carrier, const Mended& mended) {
  note(frame, {.carrier = carrier}, {.found = found_in(mended), .left = {}});
}

RewriteOutcome sanitise_message(CallFrame& frame, const RedactionScope& scope,
                                ReceivedMessage& received) {
  const std::optional<Sanitising> wanted = policy_of(frame).sanitisings().find(scope);
  if (!wanted.has_value()) return RewriteOutcome::passes;
  const auto is_rewritten = sanitise_and_read(frame, *wanted, scope, received, Copies::agree);
  if (!is_rewritten.has_value()) return is_rewritten.error();
  if (!*is_rewritten) return RewriteOutcome::passes;
  // A text that was written anew from structured content may do what no string of that does.
  const auto again = sanitise_and_read(frame, *wanted, scope, received, Copies::differ);
  return again.has_value() ? RewriteOutcome::passes : again.error();
}

RewriteOutcome screen_message(CallFrame& frame, const RedactionScope& scope,
                              ReceivedMessage& received) {
  const std::optional<Sanitising> wanted = policy_of(frame).sanitisings().find(scope);
  if (!wanted.has_value() || !is_screened(scope.carrier)) return RewriteOutcome::passes;
  const InjectionScreen screen = wanted->injection;
  const JsonValue root = received.message.root;
  const Injections injections = frame.worker.injections.scan(root);
  if (injections.found.empty()) return RewriteOutcome::passes;
  std::optional<std::string> marked;
  if (screen == InjectionScreen::mark)
    marked = with_warnings(root, payload_of(received.message), injections);
  const bool is_marked = screen != InjectionScreen::mark || marked.has_value();
  const bool is_withheld = screen == InjectionScreen::withhold;
  Sanitisation found{.found = screened(injections, is_marked ? screen : InjectionScreen::observe,
                                       is_withheld ? wanted->injection_by : ""),
                     .left = {}};
  note(frame, scope, found);
  if (is_withheld) return RewriteOutcome::withheld;
  if (!marked.has_value()) return RewriteOutcome::passes;
  return read_again(frame, received, std::move(*marked), Copies::differ);
}

}  // namespace bartizan
