// What a client is asked for an approval by.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/call/ask_approval.h"
#include "policy/check/check_features.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// Whether the client of a modern call was asked by an answer of ours before.
bool was_asked(const CallFrame& frame) {
  return is_own_state(frame.inbound.received.message.params.find("requestState"));
}

bool is_asked_by_server(const CallFrame& frame) {
  const JsonValue params = frame.message().params;
  return params.find("inputResponses") || params.find("requestState");
}

bool can_be_sent_to_urls(const CallFrame& frame) {
  if (frame.session != nullptr) return frame.session->client_features.elicitation_urls;
  return read_declared_features(
             frame.inbound.received.message.meta.find(meta_key::client_capabilities))
      .elicitation_urls;
}

std::string elicitation(std::string_view url, std::string_view sentence, std::string_view id) {
  std::string json = R"({"mode":"url","url":)";
  append_json_string(json, url);
  json += R"(,"message":)";
  append_json_string(json, sentence);
  if (!id.empty()) {
    json += R"(,"elicitationId":)";
    append_json_string(json, id);
  }
  return json + '}';
}

/// Of a legacy client that wants its user sent somewhere first. Source: MCP 2025-11-25, schema,
/// "URLElicitationRequiredError".
constexpr int kUrlElicitationRequired = -32042;

}  // namespace

std::optional<Answer> answer_asking(const CallFrame& frame, const ApprovalNews& approval,
                                    std::string_view sentence, std::string_view data_json) {
  const bool is_request = frame.method() == MethodId::tools_call ||
                          frame.method() == MethodId::prompts_get ||
                          frame.method() == MethodId::resources_read;
  const bool is_told = frame.principal().trust >= Trust::community;
  if (approval.url.empty() || !is_told || !is_request || frame.inbound.answers_only ||
      !can_be_sent_to_urls(frame)) {
    return std::nullopt;
  }
  if (frame.inbound.era == Era::legacy) {
    std::string data = R"({"elicitations":[)" + elicitation(approval.url, sentence, approval.id);
    data += "]," + std::string(data_json.substr(1));
    return Answer{.message = write_error(frame.id_text, kUrlElicitationRequired, sentence, data)};
  }
  // Whoever was sent there once comes again too soon; what a server asked for would be lost.
  if (was_asked(frame) || is_asked_by_server(frame)) return std::nullopt;
  std::string result = R"({"resultType":"input_required","inputRequests":{")";
  result += kApprovalInput;
  result += R"(":{"method":"elicitation/create","params":)";
  result += elicitation(approval.url, sentence, "");
  result += R"(}},"requestState":)";
  append_json_string(result, std::string(kApprovalState) + approval.id);
  result += R"(,"_meta":{"bartizan/denial":)" + std::string(data_json) + "}}";
  return Answer{.message = write_result(frame.id_text, result)};
}

}  // namespace bartizan
