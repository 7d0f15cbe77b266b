#include <optional>
#include <string>

#include "gateway/call_steps.h"
#include "policy/check_features.h"

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

/// Takes out of the message what the server may not know.
Result<void> withhold_capabilities(CallFrame& frame) {
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
  if (!is_changed) return {};

  const std::string_view bytes = frame.call.bytes.view();
  const ByteRange range = declared.range();
  std::string text(bytes.substr(0, range.begin));
  text += kept + "}";
  text += bytes.substr(range.end);
  Bytes rewritten{std::move(text)};
  auto document = frame.worker.loop.lease_document();
  const Result<JsonValue> root = document->read(rewritten);
  if (!root.has_value()) return std::unexpected(root.error());
  const Result<Message> message = parse_message(*root);
  if (!message.has_value()) return std::unexpected(message.error());
  frame.call.bytes = std::move(rewritten);
  frame.call.message = *message;
  frame.worker.loop.give_back(std::move(frame.inbound.received.document));
  frame.inbound.received.document = std::move(document);
  return {};
}

}  // namespace

Result<void> prepare_call(CallFrame& frame) {
  if (frame.inbound.era == Era::legacy) return {};
  const Result<void> rewritten = withhold_capabilities(frame);
  frame.client_features =
      read_declared_features(frame.message().meta.find(meta_key::client_capabilities));
  return rewritten;
}

}  // namespace bartizan
