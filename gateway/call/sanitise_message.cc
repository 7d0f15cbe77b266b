#include "gateway/call/sanitise_message.h"

#include <array>
#include <utility>

#include "config/sanitising_names.h"
#include "policy/injection/injection_warning.h"

namespace bartizan {
namespace {

void count(Worker& worker, Carrier carrier, const Sanitisation& sanitised) {
  for (const Sanitised& one : sanitised.found) {
    worker.loop.metrics().add(Metric::sanitisings,
                              std::array<std::string_view, 3>{one.what, one.action, text(carrier)},
                              one.count);
  }
}

/// What servers say of themselves is looked at elsewhere, and nobody orders a record about.
bool is_screened(Carrier carrier) {
  return carrier != Carrier::definitions && carrier != Carrier::records;
}

/// Counts what gives orders in a message, and tells what is done about it: nothing but that, but
/// where there is a text that a warning can stand before.
/// `by` is the rule that withholds it.
std::vector<Sanitised> told(const Injections& injections, InjectionScreen screen,
                            std::string_view by = {}) {
  std::vector<Sanitised> all;
  all.reserve(injections.found.size());
  for (const FoundInjection& one : injections.found)
    all.push_back({text(one.family), text(screen), one.count, std::string(by)});
  return all;
}

/// Looks for what gives orders in what clients are told beside calls: a warning has no place in it.
bool lets_pass(Worker& worker, InjectionScreen screen, Carrier carrier, JsonValue root) {
  if (!is_screened(carrier)) return true;
  const Injections injections = worker.injections.scan(root);
  if (injections.found.empty()) return true;
  const bool is_withheld = screen == InjectionScreen::withhold;
  const InjectionScreen done = is_withheld ? screen : InjectionScreen::observe;
  count(worker, carrier, {.found = told(injections, done), .left = {}});
  return !is_withheld;
}

}  // namespace

Passage sanitise_message(CallFrame& frame, const RedactionScope& scope, JsonValue said,
                         ReceivedMessage& received) {
  const std::optional<Sanitising> wanted = policy_of(frame).sanitisings().find(scope);
  if (!wanted.has_value()) return Passage::passes;
  Sanitisation sanitised = sanitise(*wanted, received.message.root, said);
  count(frame.worker, scope.carrier, sanitised);
  for (const Sanitised& one : sanitised.found)
    add(frame.sanitised, one);
  if (sanitised.is_withheld) return Passage::withheld;
  if (!sanitised.left.has_value()) return Passage::passes;
  if (read_again(frame, received, std::move(*sanitised.left)) == Passage::withheld) {
    return Passage::withheld;
  }
  // A text that was written anew from structured content may do what no string of that does.
  Sanitisation again = sanitise(*wanted, received.message.root, said_in(received.message));
  count(frame.worker, scope.carrier, again);
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
  Sanitisation found{.found = told(injections, is_marked ? screen : InjectionScreen::observe,
                                   is_withheld ? wanted->injection_by : ""),
                     .left = {}};
  count(frame.worker, scope.carrier, found);
  for (const Sanitised& one : found.found)
    add(frame.sanitised, one);
  if (is_withheld) return Passage::withheld;
  if (!marked.has_value()) return Passage::passes;
  return read_again(frame, received, std::move(*marked), Copies::differ);
}

Sanitisation sanitise_json(Worker& worker, const SanitisingRules& rules,
                           const RedactionScope& scope, std::string_view json,
                           std::string_view member) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  if (!wanted.has_value()) return {};
  const Bytes bytes(json);
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  Result<JsonValue> seen = document->read(bytes, kRewrittenLimits);
  Sanitisation sanitised;
  if (seen.has_value()) {
    sanitised = sanitise(*wanted, *seen, member.empty() ? *seen : seen->find(member));
    count(worker, scope.carrier, sanitised);
  }
  const bool is_changed = sanitised.left.has_value() && !sanitised.is_withheld;
  const Bytes again{is_changed ? std::string_view(*sanitised.left) : ""};
  if (is_changed) seen = document->read(again, kRewrittenLimits);
  const bool passes = seen.has_value() && !sanitised.is_withheld &&
                      lets_pass(worker, wanted->injection, scope.carrier, *seen);
  sanitised.is_withheld = !passes;
  if (!passes) sanitised.left.reset();
  worker.loop.give_back(std::move(document));
  return sanitised;
}

Sanitisation sanitise_text(Worker& worker, const SanitisingRules& rules,
                           const RedactionScope& scope, std::string_view said) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  if (!wanted.has_value()) return {};
  Sanitisation sanitised = sanitise(*wanted, said);
  count(worker, scope.carrier, sanitised);
  return sanitised;
}

}  // namespace bartizan
