#include "gateway/call/sanitise_message.h"

#include <optional>
#include <string>
#include <utility>

#include "gateway/worker/redact_text.h"

namespace bartizan {

Passage sanitise_message(CallFrame& frame, const RedactionScope& scope, ReceivedMessage& received) {
  const std::optional<Sanitising> wanted = policy_of(frame).sanitisings().find(scope);
  if (!wanted.has_value()) return Passage::passes;
  Sanitisation sanitised = sanitise(*wanted, received.message.root, said_in(received.message));
  count_sanitised(frame.worker, scope.carrier, sanitised);
  for (const Sanitised& one : sanitised.found)
    add(frame.sanitised, one);
  if (sanitised.is_withheld) return Passage::withheld;
  if (!sanitised.left.has_value()) return Passage::passes;
  if (read_again(frame, received, std::move(*sanitised.left)) == Passage::withheld) {
    return Passage::withheld;
  }
  // A text that was written anew from structured content may do what no string of that does.
  Sanitisation again = sanitise(*wanted, received.message.root, said_in(received.message));
  count_sanitised(frame.worker, scope.carrier, again);
  for (const Sanitised& one : again.found)
    add(frame.sanitised, one);
  if (again.is_withheld) return Passage::withheld;
  if (!again.left.has_value()) return Passage::passes;
  return read_again(frame, received, std::move(*again.left), Copies::differ);
}

Passage screen_message(CallFrame& frame, const RedactionScope& scope, ReceivedMessage& received) {
  const std::optional<Sanitising> wanted = policy_of(frame).sanitisings().find(scope);
  if (!wanted.has_value() || !is_screened(scope.carrier)) return Passage::passes;
  const InjectionScreen screen = wanted->injection;
  const JsonValue root = received.message.root;
  const Injections injections = frame.worker.injections.scan(root);
  if (injections.found.empty()) return Passage::passes;
  std::optional<std::string> marked;
  if (screen == InjectionScreen::mark)
    marked = with_warnings(root, said_in(received.message), injections);
  const bool is_marked = screen != InjectionScreen::mark || marked.has_value();
  const bool is_withheld = screen == InjectionScreen::withhold;
  Sanitisation found{.found = screened(injections, is_marked ? screen : InjectionScreen::observe,
                                       is_withheld ? wanted->injection_by : ""),
                     .left = {}};
  count_sanitised(frame.worker, scope.carrier, found);
  for (const Sanitised& one : found.found)
    add(frame.sanitised, one);
  if (is_withheld) return Passage::withheld;
  if (!marked.has_value()) return Passage::passes;
  return read_again(frame, received, std::move(*marked), Copies::differ);
}

}  // namespace bartizan
