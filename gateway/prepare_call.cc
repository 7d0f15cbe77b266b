#include <algorithm>
#include <string>

#include "gateway/call_steps.h"

namespace bartizan {
namespace {

std::optional<ClientFeature> feature_of(std::string_view member) {
  if (member == "sampling") return ClientFeature::sampling;
  if (member == "elicitation") return ClientFeature::elicitation;
  if (member == "roots") return ClientFeature::roots;
  return std::nullopt;
}

bool is_withheld(const ServerConfig* server, std::string_view member) {
  const auto feature = feature_of(member);
  if (!feature.has_value()) return false;
  if (server == nullptr) return true;
  return std::find(server->client_features.begin(), server->client_features.end(), *feature) ==
         server->client_features.end();
}

}  // namespace

Result<void> prepare_call(CallFrame& frame) {
  if (frame.inbound.era == Era::legacy) return {};
  const JsonValue declared = frame.message().meta.find(meta_key::client_capabilities);
  std::string kept = "{";
  bool withheld = false;
  for (const JsonValue member : declared) {
    if (is_withheld(frame.server, member.key())) {
      withheld = true;
      continue;
    }
    if (kept.size() > 1) kept += ",";
    kept += member.key_range().of(frame.call.bytes.view());
    kept += ":";
    kept += member.raw();
  }
  if (!withheld) return {};

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

}  // namespace bartizan
