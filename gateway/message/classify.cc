#include "gateway/message/classify.h"

#include <utility>

namespace bartizan {
namespace {

using Classification = std::expected<Classified, Unclassified>;

Classification refuse(ErrorCode code, std::string message, std::string data_json = {}) {
  return std::unexpected(Unclassified{code, std::move(message), std::move(data_json)});
}

std::optional<ProtocolVersion> modern_version(std::string_view text) {
  const auto version = parse_protocol_version(text);
  if (!version.has_value() || era(*version) == Era::legacy) return std::nullopt;
  return version;
}

/// The requested version, made safe to repeat in JSON.
std::string readable(std::string_view requested) {
  std::string text(requested.substr(0, 64));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

Classification unsupported(std::string_view requested) {
  std::string data = R"({"supported":[")";
  data += text(kNewestModernVersion);
  data += R"("],"requested":)";
  append_json_string(data, readable(requested));
  return refuse(ErrorCode::unsupported_version, "unsupported protocol version", data + "}");
}

Classification classify_modern(const Message& message, JsonValue claim,
                               const std::optional<std::string_view>& header) {
  if (!claim.is(JsonType::string)) {
    return refuse(ErrorCode::invalid_params, "_meta protocolVersion is not a string");
  }
  const auto version = modern_version(claim.text());
  const bool differs = header.has_value() && *header != claim.text();
  if (!version.has_value() && !differs) return unsupported(claim.text());
  if (differs || !header.has_value()) {
    return refuse(ErrorCode::header_mismatch,
                  "the MCP-Protocol-Version header does not equal the body's protocolVersion");
  }
  if (message.is_request() &&
      !message.meta.find(meta_key::client_capabilities).is(JsonType::object)) {
    return refuse(ErrorCode::invalid_params,
                  "_meta lacks io.modelcontextprotocol/clientCapabilities");
  }
  return Classified{Era::modern, *version};
}

}  // namespace

Classification classify(const Message& message, const std::optional<std::string_view>& header) {
  if (message.is_answer() && !header.has_value()) return Classified{};
  if (message.is_answer()) {
    const auto version = parse_protocol_version(*header);
    if (!version.has_value()) return unsupported(*header);
    if (era(*version) == Era::legacy) return Classified{Era::legacy, *version};
    return refuse(ErrorCode::invalid_request, "clients send no responses in this revision");
  }
  const JsonValue claim = message.meta.find(meta_key::protocol_version);
  if (claim) return classify_modern(message, claim, header);
  if (message.known->id == MethodId::initialize) return Classified{};
  if (!header.has_value()) return Classified{Era::legacy, kHeaderlessVersion};
  const auto version = parse_protocol_version(*header);
  if (!version.has_value()) return unsupported(*header);
  if (era(*version) == Era::legacy) return Classified{Era::legacy, *version};
  if (message.is_notification()) return Classified{Era::modern, *version};
  return refuse(ErrorCode::invalid_params,
                "_meta lacks io.modelcontextprotocol/protocolVersion and clientCapabilities");
}

Classification classify_without_headers(const Message& message) {
  const JsonValue claim = message.meta.find(meta_key::protocol_version);
  if (message.is_answer() || !claim) return Classified{};
  return classify_modern(message, claim, claim.text());
}

}  // namespace bartizan
