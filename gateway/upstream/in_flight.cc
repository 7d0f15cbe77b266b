#include "gateway/upstream/in_flight.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "schemas/base/error_code.h"

namespace bartizan {
namespace {

/// Up to there a double is one whole number.
constexpr double kWholeMax = 9007199254740991;

/// The call that a notification names.
JsonValue name_of_call(const Message& message) {
  if (message.known->id == MethodId::notifications_progress) return message.progress_token;
  return message.meta.find(meta_key::subscription_id);
}

/// Whether the message names a call. If its name is not a number of this instance, it belongs to no
/// call: it must not be routed to the only call in progress.
bool names_call(const Message& message) {
  return message.known->id == MethodId::notifications_progress ||
         static_cast<bool>(name_of_call(message));
}

}  // namespace

std::optional<std::uint64_t> number_of(JsonValue id) {
  if (const auto integer = id.integer()) {
    if (*integer < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*integer);
  }
  if (const auto number = id.number()) {
    const bool is_whole = *number >= 0 && *number <= kWholeMax && std::trunc(*number) == *number;
    if (is_whole) return static_cast<std::uint64_t>(*number);
    return std::nullopt;
  }
  const std::string_view digits = id.text();
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

void InFlight::add(std::uint64_t id, std::shared_ptr<PendingCall> pending) {
  calls_.emplace(id, std::move(pending));
}

std::shared_ptr<PendingCall> InFlight::take(std::uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  std::shared_ptr<PendingCall> pending = std::move(found->second);
  calls_.erase(found);
  return pending;
}

std::shared_ptr<PendingCall> InFlight::find(std::uint64_t id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second;
}

std::optional<std::uint64_t> InFlight::id_of(const std::shared_ptr<PendingCall>& pending) const {
  for (const auto& [id, call] : calls_) {
    if (call == pending) return id;
  }
  return std::nullopt;
}

std::shared_ptr<PendingCall> InFlight::only() const {
  std::shared_ptr<PendingCall> only;
  for (const auto& [id, pending] : calls_) {
    if (pending->is_aside()) continue;
    if (only != nullptr) return nullptr;
    only = pending;
  }
  return only;
}

void InFlight::fail_calls(const Error& error) {
  for (auto& [id, pending] : std::exchange(calls_, {}))
    pending->fail(error);
}

std::shared_ptr<PendingCall> route(InFlight& in_flight, const Message& message) {
  if (message.is_answer()) {
    const auto id = number_of(message.id);
    return id.has_value() ? in_flight.take(*id) : nullptr;
  }
  if (message.is_notification() && names_call(message)) {
    const auto id = number_of(name_of_call(message));
    return id.has_value() ? in_flight.find(*id) : nullptr;
  }
  return in_flight.only();
}

std::shared_ptr<PendingCall> route_refused(InFlight& in_flight, const RefusedMessage& refused) {
  const std::string& text = refused.is_answer ? refused.id_json : refused.answer_id;
  std::uint64_t id = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, id);
  const bool is_number = error == std::errc() && stop == end;
  return is_number ? in_flight.take(id) : nullptr;
}

Error unreadable(const RefusedMessage& refused) {
  Error error = refused.error;
  if (error.code == ErrorCode::overloaded) return error;
  error.fault = Fault::server;
  const bool is_json = rpc_code(error.code) != RpcCode::parse_error;
  // For the caller, the other codes would mean its own request.
  if (is_json) error.code = ErrorCode::server_failed;
  std::string detail(is_json ? "the server sent no JSON-RPC message: "
                             : "the server's message cannot be read: ");
  detail += error.detail;
  if (error.offset >= 0) detail += ", at byte " + std::to_string(error.offset);
  error.detail = std::move(detail);
  return error;
}

Error begun_anew() {
  return not_run("the server has begun anew since the call was judged");
}

std::string number_request(OutboundRequest& request, std::uint64_t id) {
  const std::string text = std::to_string(id);
  request.permit.splice(SpliceKind::request_id, request.id, text);
  if (request.progress_token.has_value()) {
    request.permit.splice(SpliceKind::progress_token, *request.progress_token, text);
  }
  return request.permit.wire();
}

}  // namespace bartizan
