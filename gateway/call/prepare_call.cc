#include <algorithm>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gateway/call/ask_approval.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/call_task.h"
#include "gateway/call/redact_message.h"
#include "gateway/call/request_rounds.h"
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

/// Some members of an object, each with the value that it is to have.
std::string object_of(JsonValue object, std::string_view bytes,
                      const std::function<std::optional<std::string>(JsonValue)>& kept) {
  std::string text = "{";
  for (const JsonValue member : object) {
    const std::optional<std::string> value = kept(member);
    if (!value.has_value()) continue;
    if (text.size() > 1) text += ',';
    text += member.key_range().of(bytes);
    text += ':' + *value;
  }
  return text + '}';
}

/// Whether the server may know that its client takes tasks. Then there is a place for one.
bool may_know_of_tasks(CallFrame& frame) {
  const JsonValue followed = frame.message().params.find("notifications").find("taskIds");
  if (frame.method() == MethodId::subscriptions_listen) return static_cast<bool>(followed);
  if (frame.method() != MethodId::tools_call) return is_about_task(frame.method());
  // It was sent with what it has now.
  if (frame.inbound.of_task != nullptr) return true;
  const ServerConfig* server = frame.target.server;
  if (server == nullptr || !allows(server->client_features, ClientFeature::tasks)) return false;
  // The call is kept as long as its task is.
  if (frame.call.bytes.view().size() > limits::kept_request_bytes_max) return false;
  // Who has as many as may be is answered at once, or told that this cannot be.
  frame.task.place = frame.worker.gateway.tasks.reserve(frame.principal().id);
  return static_cast<bool>(frame.task.place);
}

std::string kept_extensions(CallFrame& frame, JsonValue extensions) {
  const bool is_kept = !extensions.find(kTasksExtension) || may_know_of_tasks(frame);
  if (is_kept) return std::string(extensions.raw());
  return object_of(extensions, frame.call.bytes.view(), [](JsonValue extension) {
    const bool is_tasks = extension.key() == kTasksExtension;
    return is_tasks ? std::nullopt : std::optional(std::string(extension.raw()));
  });
}

/// What a server may know of one capability that a client declares: all, a part, or nothing.
std::optional<std::string> kept_capability(CallFrame& frame, JsonValue capability) {
  if (capability.key() == "extensions") return kept_extensions(frame, capability);
  const ServerConfig* server = frame.target.server;
  const auto feature = feature_of(capability.key());
  std::string all(capability.raw());
  if (!feature.has_value()) return all;
  if (server == nullptr || !allows(server->client_features, *feature)) return std::nullopt;
  // It would take a question for an answer.
  if (frame.inbound.answers_only) return std::nullopt;
  const bool is_without_urls =
      *feature == ClientFeature::elicitation && server->elicitation_urls.empty();
  if (!is_without_urls || !capability.find("url")) return all;
  // Without a mode, forms are meant. Source: MCP 2025-11-25, client/elicitation, "Capabilities".
  if (!capability.find("form")) return std::nullopt;
  return R"({"form":)" + std::string(capability.find("form").raw()) + "}";
}

}  // namespace

Reason replace_call(CallFrame& frame, std::string text) {
  ReceivedMessage rewritten;
  if (!hold(frame.worker.gateway.memory, rewritten.memory, text.size())) return Reason::overloaded;
  rewritten.bytes = Bytes(std::move(text));
  rewritten.document = frame.worker.loop.lease_document();
  const Result<JsonValue> root = rewritten.document->read(rewritten.bytes);
  if (!root.has_value()) return Reason::invalid_params;
  const Result<Message> message = parse_message(*root);
  if (!message.has_value()) return Reason::invalid_params;
  frame.call.message = *message;
  frame.call.bytes = SealedBytes(std::move(rewritten.bytes));
  frame.rewrites.memory = std::move(rewritten.memory);
  frame.worker.loop.give_back(
      std::exchange(frame.rewrites.document, std::move(rewritten.document)));
  return Reason::none;
}

namespace {

Reason withhold_features(CallFrame& frame) {
  if (frame.inbound.era == Era::legacy) return Reason::none;
  const JsonValue declared = frame.message().meta.find(meta_key::client_capabilities);
  bool is_changed = false;
  const std::string kept = object_of(declared, frame.call.bytes.view(), [&](JsonValue member) {
    std::optional<std::string> capability = kept_capability(frame, member);
    is_changed = is_changed || capability != member.raw();
    return capability;
  });
  if (!is_changed) return Reason::none;

  const std::string_view bytes = frame.call.bytes.view();
  const ByteRange range = declared.range();
  std::string text(bytes.substr(0, range.begin));
  text += kept;
  text += bytes.substr(range.end);
  return replace_call(frame, std::move(text));
}

/// The call with the arguments that the profiles of its tool want, where it has others.
std::optional<std::string> rewritten_call(const CallFrame& frame) {
  if (frame.method() != MethodId::tools_call || frame.target.server == nullptr) return std::nullopt;
  const auto profile = frame.policy().profiles().find(frame.call);
  return profile->rewrites.apply(frame.message(), frame.call.bytes.view());
}

/// Gives the call other arguments. Those that the client sent count, too: its headers repeat them.
Reason replace_arguments(CallFrame& frame, std::string text) {
  if (!frame.call.sent_arguments.has_value()) {
    const JsonValue sent = frame.inbound.received.message.arguments;
    const std::string_view raw = sent ? sent.raw() : std::string_view();
    frame.rewrites.sent_digest = KeyedDigest::hex(frame.worker.gateway.digest.digest(raw));
    frame.call.sent_arguments = sent;
  }
  return replace_call(frame, std::move(text));
}

using Rewritten = std::expected<std::optional<std::string>, Reason>;

/// The call with its arguments under the names that the server reads.
Rewritten renamed_call(CallFrame& frame) {
  const ToolProfiles& profiles = frame.policy().profiles();
  if (frame.method() != MethodId::tools_call || !profiles.renames()) return std::nullopt;
  const auto profile = profiles.find(frame.call);
  return profile->renames.apply(frame.message(), frame.call.bytes.view());
}

/// The call with the values that tokens in its arguments stand for, where there are any.
Rewritten restored_call(CallFrame& frame) {
  const auto find = [&](std::string_view token) {
    return frame.worker.gateway.tokens.find(frame.principal().id, frame.call.server, token);
  };
  frame.rewrites.restored_tokens.clear();
  frame.rewrites.restored_values.clear();
  auto restored = restore_tokens(frame.message().arguments, frame.call.bytes.view(), find);
  if (!restored.has_value()) return std::unexpected(restored.error());
  frame.rewrites.restored_tokens = std::move(restored->found);
  frame.rewrites.restored_values = std::move(restored->tokens);
  return std::move(restored->text);
}

/// Puts in what tokens in the arguments stand for, renames what the tool's profile says, takes out
/// what redactions let nobody send, then forces and compacts: what comes of it is what is judged.
/// Redactions come after the renames, since all that policy says is said of the names as sent.
Reason rewrite_arguments(CallFrame& frame) {
  if (frame.target.server == nullptr) return Reason::none;
  const auto by_profiles = [](CallFrame& call) -> Rewritten { return rewritten_call(call); };
  for (Rewritten (*const next)(CallFrame&) :
       {+restored_call, +renamed_call, +redact_arguments, +by_profiles}) {
    Rewritten text = next(frame);
    if (!text.has_value()) return text.error();
    if (!text->has_value()) continue;
    const Reason reason = replace_arguments(frame, **std::move(text));
    if (reason != Reason::none) return reason;
  }
  return Reason::none;
}

}  // namespace

Reason prepare_call(CallFrame& frame) {
  Reason reason = open_request_state(frame);
  if (reason == Reason::none) reason = withhold_own_members(frame);
  if (reason == Reason::none) reason = withhold_features(frame);
  if (!frame.inbound.answers_only) {
    frame.rewrites.client_features =
        read_declared_features(frame.message().meta.find(meta_key::client_capabilities));
  }
  return reason == Reason::none ? rewrite_arguments(frame) : reason;
}

bool would_be_rewritten(CallFrame& frame) {
  if (renamed_call(frame)->has_value()) return true;
  const auto redacted = redact_arguments(frame);
  const bool is_withheld = std::exchange(frame.rewrites.withholds_arguments, false);
  frame.rewrites.redacted_arguments.clear();
  return is_withheld || (redacted.has_value() && redacted->has_value()) ||
         rewritten_call(frame).has_value();
}

}  // namespace bartizan
