#include <algorithm>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/redact_message.h"
#include "policy/check/check_features.h"
#include "policy/redact/restore_tokens.h"

namespace bartizan {
namespace {

std::optional<ClientFeature> feature_of(std::string_view member) {
  if (member == "sampling") return ClientFeature::sampling;
  if (member == "elicitation") return ClientFeature::elicitation;
  if (member == "roots") return ClientFeature::roots;
  return std::nullopt;
}

/// What a server may know of one capability that a client declares: all, a part, or nothing.
std::optional<std::string> kept_capability(const ServerConfig* server, JsonValue capability) {
  const auto feature = feature_of(capability.key());
  std::string all(capability.raw());
  if (!feature.has_value()) return all;
  if (server == nullptr || !allows(server->client_features, *feature)) return std::nullopt;
  const bool is_without_urls =
      *feature == ClientFeature::elicitation && server->elicitation_urls.empty();
  if (!is_without_urls || !capability.find("url")) return all;
  // Without a mode, forms are meant. Source: MCP 2025-11-25, client/elicitation, "Capabilities".
  if (!capability.find("form")) return std::nullopt;
  return R"({"form":)" + std::string(capability.find("form").raw()) + "}";
}

/// Reads what is to take the place of a call.
std::expected<ReceivedMessage, Reason> read_rewritten(Worker& worker, std::string text) {
  ReceivedMessage rewritten;
  if (!hold(worker.gateway.memory, rewritten.memory, text.size())) {
    return std::unexpected(Reason::overloaded);
  }
  rewritten.bytes = Bytes(std::move(text));
  rewritten.document = worker.loop.lease_document();
  const Result<JsonValue> root = rewritten.document->read(rewritten.bytes);
  if (!root.has_value()) return std::unexpected(Reason::invalid_params);
  const Result<Message> message = parse_message(*root);
  if (!message.has_value()) return std::unexpected(Reason::invalid_params);
  rewritten.message = *message;
  return rewritten;
}

/// Puts it there; answers what the call was before.
ReceivedMessage exchange_message(CallFrame& frame, ReceivedMessage message) {
  std::swap(message.bytes, frame.call.bytes);
  std::swap(message.message, frame.call.message);
  std::swap(message.document, frame.inbound.received.document);
  std::swap(message.memory, frame.inbound.received.memory);
  return message;
}

Reason withhold_features(CallFrame& frame) {
  if (frame.inbound.era == Era::legacy) return Reason::none;
  const JsonValue declared = frame.message().meta.find(meta_key::client_capabilities);
  std::string kept = "{";
  bool is_changed = false;
  for (const JsonValue member : declared) {
    const std::optional<std::string> capability = kept_capability(frame.server, member);
    is_changed = is_changed || capability != member.raw();
    if (!capability.has_value()) continue;
    if (kept.size() > 1) kept += ",";
    kept += member.key_range().of(frame.call.bytes.view());
    kept += ":" + *capability;
  }
  if (!is_changed) return Reason::none;

  const std::string_view bytes = frame.call.bytes.view();
  const ByteRange range = declared.range();
  std::string text(bytes.substr(0, range.begin));
  text += kept + "}";
  text += bytes.substr(range.end);
  auto rewritten = read_rewritten(frame.worker, std::move(text));
  if (!rewritten.has_value()) return rewritten.error();
  ReceivedMessage before = exchange_message(frame, std::move(*rewritten));
  frame.worker.loop.give_back(std::move(before.document));
  return Reason::none;
}

/// The call with the arguments that the profiles of its tool want, where it has others.
std::optional<std::string> rewritten_call(const CallFrame& frame) {
  if (frame.method() != MethodId::tools_call || frame.server == nullptr) return std::nullopt;
  const auto profile = frame.policy().profiles().find(frame.call);
  return profile->rewrites.apply(frame.message(), frame.call.bytes.view());
}

/// Puts another text in the place of the call. What the client sent stays, since its headers repeat
/// it.
Reason replace_call(CallFrame& frame, std::string text) {
  auto rewritten = read_rewritten(frame.worker, std::move(text));
  if (!rewritten.has_value()) return rewritten.error();
  if (frame.call.sent_arguments.has_value()) {
    ReceivedMessage between = exchange_message(frame, std::move(*rewritten));
    frame.worker.loop.give_back(std::move(between.document));
    return Reason::none;
  }
  const JsonValue sent = frame.message().arguments;
  const std::string_view raw = sent ? sent.raw() : std::string_view();
  frame.sent_digest = KeyedDigest::hex(frame.worker.gateway.digest.digest(raw));
  frame.sent.emplace(exchange_message(frame, std::move(*rewritten)));
  frame.call.sent_arguments = sent;
  return Reason::none;
}

using Rewritten = std::expected<std::optional<std::string>, Reason>;

/// The call with the values that tokens in its arguments stand for, where there are any.
Rewritten restored_call(CallFrame& frame) {
  const auto find = [&](std::string_view token) {
    return frame.worker.gateway.tokens.find(frame.principal().id, frame.call.server, token);
  };
  frame.restored_tokens.clear();
  frame.restored_values.clear();
  auto restored = restore_tokens(frame.message().arguments, frame.call.bytes.view(), find);
  if (!restored.has_value()) return std::unexpected(restored.error());
  frame.restored_tokens = std::move(restored->found);
  frame.restored_values = std::move(restored->tokens);
  return std::move(restored->text);
}

/// Puts in what tokens in the arguments stand for, takes out what redactions let nobody send, then
/// forces and compacts what the profiles of the tool say: what comes of it is what is judged.
Reason rewrite_arguments(CallFrame& frame) {
  if (frame.server == nullptr) return Reason::none;
  const auto by_profiles = [](CallFrame& call) -> Rewritten { return rewritten_call(call); };
  for (Rewritten (*const next)(CallFrame&) : {+restored_call, +redact_arguments, +by_profiles}) {
    Rewritten text = next(frame);
    if (!text.has_value()) return text.error();
    if (!text->has_value()) continue;
    const Reason reason = replace_call(frame, **std::move(text));
    if (reason != Reason::none) return reason;
  }
  return Reason::none;
}

}  // namespace

Reason prepare_call(CallFrame& frame) {
  const Reason reason = withhold_features(frame);
  if (!frame.inbound.answers_only) {
    frame.client_features =
        read_declared_features(frame.message().meta.find(meta_key::client_capabilities));
  }
  return reason == Reason::none ? rewrite_arguments(frame) : reason;
}

bool restore_sent(CallFrame& frame) {
  if (!frame.call.sent_arguments.has_value()) return false;
  ReceivedMessage rewritten = exchange_message(frame, std::move(*frame.sent));
  frame.worker.loop.give_back(std::move(rewritten.document));
  frame.sent.reset();
  frame.call.sent_arguments.reset();
  frame.sent_digest.clear();
  return true;
}

bool would_be_rewritten(CallFrame& frame) {
  const auto redacted = redact_arguments(frame);
  const bool is_withheld = std::exchange(frame.withholds_arguments, false);
  frame.redacted_arguments.clear();
  return is_withheld || (redacted.has_value() && redacted->has_value()) ||
         rewritten_call(frame).has_value();
}

}  // namespace bartizan
