#include "gateway/call/validate_answer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/parse_units.h"
#include "gateway/call/call_task.h"
#include "gateway/message/other_id.h"
#include "gateway/message/restore_message.h"
#include "gateway/message/server_error.h"

namespace bartizan {
namespace {

/// Absent, the type is `complete`.
bool has_known_type(const CallFrame& frame, const Message& answer) {
  const JsonValue type = answer.result.find("resultType");
  if (frame.inbound.era == Era::legacy || answer.kind != MessageKind::response || !type) {
    return true;
  }
  return type.text() == "complete" || type.text() == "input_required" ||
         (type.text() == "task" && takes_tasks(frame));
}

bool is_ambiguous(const Message& answer) {
  if (answer.kind == MessageKind::response)
    return has_ambiguous_member(answer.result, MemberPlace::result);
  const JsonValue data = answer.error.find("data");
  return has_ambiguous_member(answer.error, MemberPlace::error) ||
         (data.is(JsonType::object) && has_ambiguous_member(data, MemberPlace::error));
}

}  // namespace

Ending ending_of(const Message& answer) {
  if (answer.kind == MessageKind::error_response) {
    return {Outcome::error, Reason::none, answer.error.find("code").integer().value_or(0)};
  }
  if (answer.result.find("isError").boolean().value_or(false)) return {Outcome::tool_error};
  return {};
}

std::optional<ErrorCode> protocol_error(Era era, const Ending& ending) {
  if (era == Era::legacy) return std::nullopt;
  for (const ErrorCode code :
       {ErrorCode::header_mismatch, ErrorCode::missing_capability, ErrorCode::method_not_found}) {
    if (ending.rpc_code == static_cast<int>(rpc_code(code))) return code;
  }
  return std::nullopt;
}

std::optional<std::string> validate_answer(const CallFrame& frame, const Message& answer) {
  if (!has_known_type(frame, answer)) return "the server's result has an unknown type";
  if (is_ambiguous(answer)) return "a member of the server's response is spelled like another";
  if (frame.inbound.era == Era::modern && has_code(answer, RpcCode::unsupported_version)) {
    return "the server no longer speaks the revision that it spoke before";
  }
  return std::nullopt;
}

bool has_code(const Message& answer, RpcCode code) {
  return answer.kind == MessageKind::error_response &&
         answer.error.find("code").integer() == static_cast<int>(code);
}

bool tells_errors_by_trust(const CallFrame& frame) {
  const auto& servers = frame.snapshot().config.servers;
  const auto server = servers.find(frame.call.server);
  return server != servers.end() && server->second.errors == ServerConfig::Errors::by_trust;
}

bool has_ambiguous_member(JsonValue object, MemberPlace place) {
  return std::any_of(object.begin(), object.end(), [place](JsonValue member) {
    return is_ambiguous_member(member.key(), place);
  });
}

std::string told_timeout(const CallFrame& frame, std::chrono::milliseconds timeout, Waited waited) {
  const std::string key = frame.policy().timeout_key(frame.call);
  if (waited == Waited::for_answer) {
    return fmt::format("the server did not answer within {}, the {}", format_duration(timeout),
                       key);
  }
  return fmt::format("the server reported progress but did not finish within {}, {} times the {}",
                     format_duration(kTimeoutsMax * timeout), kTimeoutsMax, key);
}

bool is_own_sentence(const Error& error) {
  return error.code == ErrorCode::timed_out || rpc_code(error.code) == RpcCode::parse_error ||
         error.detail == kOtherId;
}

bool brings_requests(const Message& answer) {
  return answer.kind == MessageKind::error_response || answer.result.find("inputRequests");
}

std::string told_error(const CallFrame& frame, ReceivedMessage& received) {
  if (tells_errors_by_trust(frame)) {
    const Trust trust = frame.principal().trust;
    if (auto told = error_by_trust(received.message, frame.id_text, trust)) return *told;
  }
  return restore_error(std::move(received.bytes), received.message, frame.id_text);
}

}  // namespace bartizan
