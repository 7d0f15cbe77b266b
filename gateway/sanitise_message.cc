#include "gateway/sanitise_message.h"

#include <array>
#include <utility>

namespace bartizan {
namespace {

/// What is longer for what was put into it is still no larger than a message may be.
constexpr JsonLimits kSanitisedLimits{
    .bytes_max = limits::response_bytes_max + (std::size_t{1} << 20),
    .values_max = limits::response_values_max,
    .numbers = JsonLimits::Numbers::keep_as_text};

void count(Worker& worker, Carrier carrier, const Sanitisation& sanitised) {
  for (const Sanitised& one : sanitised.found) {
    worker.loop.metrics().add(Metric::sanitisings,
                              std::array<std::string_view, 3>{one.what, one.action, text(carrier)},
                              one.count);
  }
}

}  // namespace

RedactedMessage sanitise_message(CallFrame& frame, const RedactionScope& scope, JsonValue said,
                                 ReceivedMessage received) {
  const bool is_subscription = frame.method() == MethodId::subscriptions_listen;
  const Policy& policy = is_subscription ? *frame.worker.snapshot->policy : frame.policy();
  const std::optional<Sanitising> wanted = policy.sanitisings().find(scope);
  if (!wanted.has_value()) return {std::move(received)};
  Sanitisation sanitised = sanitise(*wanted, received.message.root, said);
  if (sanitised.found.empty()) return {std::move(received)};
  count(frame.worker, scope.carrier, sanitised);
  for (const Sanitised& one : sanitised.found)
    add(frame.sanitised, one);
  if (sanitised.is_withheld) return {std::move(received), true};
  if (!sanitised.left.has_value()) return {std::move(received)};
  const MessageKind kind = received.message.kind;
  const std::string id(received.message.root.find("id").raw());
  // What is read again takes its place.
  received.memory = {};
  Receipt again = receive_message(frame.worker.loop, frame.worker.gateway.memory,
                                  Bytes(std::move(*sanitised.left)), kSanitisedLimits);
  // Two names that are told apart by what was taken out may be one now, and what had a hidden
  // name, one that means something.
  const bool is_same = again.has_value() && again->message.kind == kind &&
                       again->message.root.find("id").raw() == id;
  if (!is_same) return {std::move(received), true};
  again->part = received.part;
  frame.worker.loop.give_back(std::move(received.document));
  return {std::move(*again)};
}

std::optional<std::string> sanitise_json(Worker& worker, const SanitisingRules& rules,
                                         const RedactionScope& scope, std::string_view json,
                                         std::string_view member) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  if (!wanted.has_value()) return std::string(json);
  const Bytes bytes(json);
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kSanitisedLimits);
  std::optional<std::string> left;
  if (root.has_value()) {
    Sanitisation sanitised = sanitise(*wanted, *root, member.empty() ? *root : root->find(member));
    count(worker, scope.carrier, sanitised);
    if (!sanitised.is_withheld) left = std::move(sanitised.left).value_or(std::string(json));
    if (sanitised.left.has_value() && left.has_value()) {
      const Bytes again{std::string_view(*left)};
      if (!document->read(again, kSanitisedLimits).has_value()) left.reset();
    }
  }
  worker.loop.give_back(std::move(document));
  return left;
}

std::optional<std::string> sanitise_text(Worker& worker, const SanitisingRules& rules,
                                         const RedactionScope& scope, std::string_view said) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  if (!wanted.has_value()) return std::string(said);
  Sanitisation sanitised = sanitise(*wanted, said);
  count(worker, scope.carrier, sanitised);
  if (sanitised.is_withheld) return std::nullopt;
  return std::move(sanitised.left).value_or(std::string(said));
}

}  // namespace bartizan
