#include "gateway/upstream/server_handshake.h"

#include <algorithm>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/version.h"
#include "schemas/base/ascii.h"
#include "schemas/base/error_code.h"
#include "schemas/json/json_text.h"
#include "schemas/message/protocol_version.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

std::string client_capabilities(const ServerConfig& server) {
  std::string json = "{";
  const auto add = [&](std::string_view member) {
    if (json.size() > 1) json += ",";
    json += member;
  };
  const auto has = [&](ClientFeature feature) { return allows(server.client_features, feature); };
  if (has(ClientFeature::sampling)) add(R"("sampling":{})");
  if (has(ClientFeature::elicitation)) {
    add(server.elicitation_urls.empty() ? R"("elicitation":{"form":{}})"
                                        : R"("elicitation":{"form":{},"url":{}})");
  }
  if (has(ClientFeature::roots)) add(R"("roots":{})");
  return json + "}";
}

std::string modern_meta(std::string_view capabilities) {
  std::string json = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":")";
  json += text(kNewestModernVersion);
  json += R"(","io.modelcontextprotocol/clientCapabilities":)";
  json += capabilities;
  json += R"(,"io.modelcontextprotocol/clientInfo":)";
  json += gateway_info();
  return json + "}";
}

/// Clients are shown it, so it is nothing but a version.
std::string read_server_version(const Message& answer) {
  constexpr std::size_t kBytesMax = 64;
  JsonValue info = answer.result.find("serverInfo");
  if (!info) info = answer.meta.find(meta_key::server_info);
  const std::string_view version = info.find("version").text();
  const bool is_plain =
      version.size() <= kBytesMax && std::ranges::all_of(version, [](char c) {
        return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '+' || c == '_';
      });
  return is_plain ? std::string(version) : std::string();
}

/// The members that clients show to people, as far as they are short texts. Icons and links are
/// left out: a client would fetch them.
std::string read_server_identity(const Message& answer) {
  constexpr std::size_t kBytesMax = 256;
  JsonValue info = answer.result.find("serverInfo");
  if (!info) info = answer.meta.find(meta_key::server_info);
  std::string json;
  for (const std::string_view member : {"name", "title", "version"}) {
    const JsonValue value = info.find(member);
    if (!value.is(JsonType::string) || value.text().size() > kBytesMax) continue;
    json += json.empty() ? "{" : ",";
    json += json_string(member) + ":" + json_string(value.text());
  }
  return info.find("name").text().empty() || !json.starts_with(R"({"name":)") ? "" : json + "}";
}

bool lists_spoken_version(JsonValue versions) {
  for (const JsonValue version : versions) {
    const auto known = parse_protocol_version(version.text());
    if (known.has_value() && era(*known) == Era::modern) return true;
  }
  return false;
}

}  // namespace

std::string gateway_info() {
  return R"({"name":"bartizan","version":")" + std::string(kVersion) + "\"}";
}

std::string initialize_params(const ServerConfig& server) {
  std::string json = R"({"protocolVersion":")";
  json += text(kNewestLegacyVersion);
  json += R"(","capabilities":)" + client_capabilities(server) + R"(,"clientInfo":)";
  json += gateway_info();
  return json + "}";
}

std::string modern_params(const ServerConfig& server) {
  return modern_meta(client_capabilities(server)) + "}";
}

std::string modern_list_params(std::string_view members) {
  std::string json = modern_meta("{}");
  if (!members.empty()) json += ",";
  json += members;
  return json + "}";
}

std::string task_params(std::string_view task_id) {
  return modern_meta(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})") + R"(,"taskId":)" +
         json_string(task_id) + "}";
}

OutboundRequest own_request(GatewayMessage kind, std::string_view method, std::string_view params) {
  OutboundRequest request{.permit = Permit::own(kind, write_request("0", method, params)),
                          .method = std::string(method)};
  const std::size_t id = request.permit.bytes().find(R"("id":0)");
  request.id = {id + 5, id + 6};
  return request;
}

Result<ServerHandshake> read_introduction(const ServerConfig& server, Era era_asked,
                                          const Message& answer) {
  const auto refuse = [](std::string detail) {
    return fail(ErrorCode::server_failed, Fault::server, std::move(detail));
  };
  if (answer.kind != MessageKind::response) return refuse("the server refused the introduction");
  ServerHandshake introduction;
  introduction.era = era_asked;
  const JsonValue capabilities = answer.result.find("capabilities");
  if (!capabilities.is(JsonType::object)) return refuse("the introduction has no capabilities");
  introduction.capabilities = capabilities.raw();
  introduction.server_version = read_server_version(answer);
  introduction.identity = read_server_identity(answer);
  introduction.passes_logs = allows(server.client_features, ClientFeature::logging);
  introduction.passes_tasks =
      era_asked == Era::modern && allows(server.client_features, ClientFeature::tasks);
  if (allows(server.client_features, ClientFeature::instructions))
    introduction.instructions = answer.result.find("instructions").text();
  if (era_asked == Era::modern) {
    if (!lists_spoken_version(answer.result.find("supportedVersions"))) {
      return refuse("the server speaks no revision of the modern era that the gateway speaks");
    }
    introduction.version = kNewestModernVersion;
    return introduction;
  }
  const auto version = parse_protocol_version(answer.result.find("protocolVersion").text());
  if (!version.has_value() || era(*version) != Era::legacy) {
    return refuse("the server answered with a revision that the gateway does not speak");
  }
  introduction.version = *version;
  return introduction;
}

bool asks_for_another_try(const Message& answer) {
  return answer.kind == MessageKind::error_response &&
         answer.error.find("code").integer() == static_cast<int>(RpcCode::unsupported_version) &&
         lists_spoken_version(answer.error.find("data").find("supported"));
}

Task<Result<ReceivedMessage>> next_answer(PendingCall& pending, const UpstreamEvents& events,
                                          const InstanceKey& key, std::chrono::milliseconds wait) {
  const auto end = steady_now() + wait;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_now());
    Result<ReceivedMessage> received =
        co_await pending.next(std::max(left, std::chrono::milliseconds(1)));
    if (!received.has_value() || received->message.is_answer()) co_return received;
    events.message(key, *std::move(received));
  }
}

}  // namespace bartizan
