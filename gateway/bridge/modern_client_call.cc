#include "gateway/bridge/modern_client_call.h"

#include <algorithm>
#include <utility>

#include "gateway/bridge/message_text.h"
#include "gateway/runtime/clock.h"
#include "gateway/upstream/own_answer.h"
#include "schemas/json/json_text.h"
#include "schemas/message/era_translation.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// The call has a deadline of its own.
constexpr std::chrono::hours kAnyTime{24};
/// How long a server waits for a client that has not returned.
constexpr std::chrono::minutes kParked{10};
/// Requests that a server sends within this time go into one response.
constexpr std::chrono::milliseconds kSameQuestion{5};

bool may_be_asked(MethodId method) {
  return method == MethodId::elicitation_create || method == MethodId::sampling_create_message ||
         method == MethodId::roots_list;
}

/// One entry of `inputRequests`. The id of a URL elicitation exists only in the legacy era.
std::string input_request(const Message& request) {
  std::string entry = R"({"method":)" + json_string(request.method);
  if (!request.params) return entry + "}";
  std::string params;
  for (const JsonValue member : request.params) {
    if (member.key() == "elicitationId" || member.key() == "_meta" || member.key() == "task") {
      continue;
    }
    if (!params.empty()) params += ',';
    append_json_string(params, member.key());
    params += ':';
    params += member.raw();
  }
  return entry + R"(,"params":{)" + params + "}}";
}

}  // namespace

ModernClientCall::ModernClientCall(const BridgeParts& parts, UpstreamHandle server, Client client,
                                   Shared shared)
    : parts_(parts), server_(std::move(server)), said_(std::move(client)), shared_(shared) {}

void ModernClientCall::call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) {
  client_ = std::move(client);
  method_ = find_method(request.method).id;
  const MessageText judged(request.permit.bytes());
  const auto state =
      std::ranges::find(request.permit.splices(), SpliceKind::request_state, &Splice::kind);
  if (state != request.permit.splices().end()) {
    JsonDocument document;
    const Bytes bytes{std::string_view(state->replacement)};
    const JsonValue name = document.read(bytes).value_or(JsonValue());
    return resume_other(request, judged.message, std::string(name.text()));
  }
  uri_ = judged.message.uri.text();
  for (const Splice& cut : leave_modern_era(judged.message))
    request.permit.splice(cut.kind, cut.range, cut.replacement);
  spawn(parts_.loop, run(std::move(request)));
}

/// Resumes a parked call with the client's responses.
void ModernClientCall::resume_other(const OutboundRequest& request, const Message& judged,
                                    const std::string& name) {
  resumed_ = shared_.parked.take(name);
  if (resumed_ == nullptr) {
    deliver_text(parts_, *client_,
                 write_error(kBridgeId, -32602,
                             "the question that this answers is not open any more: send the "
                             "request again without requestState"));
    return;
  }
  std::vector<Response> responses;
  for (const JsonValue response : judged.params.find("inputResponses"))
    responses.push_back({std::string(response.key()), response.range()});
  resumed_->parts_.loop.post_answer([call = resumed_, permit = request.permit.repeat(),
                                     responses = std::move(responses), client = client_]() mutable {
    call->resume(std::move(permit), responses, std::move(client));
  });
}

/// Sets the instance's level, which is the most verbose that any client wants. Messages that a
/// client did not ask for are filtered for it.
Task<void> ModernClientCall::set_log_level() {
  return send_own(parts_, server_, GatewayMessage::logging_set_level, "logging/setLevel",
                  R"({"level":)" + json_string(said_.log_level) + "}",
                  std::make_shared<PendingCall>(parts_.loop));
}

void ModernClientCall::cancel() {
  if (resumed_ != nullptr) return resumed_->cancel();
  parts_.loop.post_answer([self = shared_from_this()] { self->give_up(); });
}

/// Ends a call that nobody waits for.
void ModernClientCall::give_up() {
  // A client took it and is about to resume: it gets its response.
  if (is_over_ || (!parked_as_.empty() && shared_.parked.take(parked_as_) == nullptr)) return;
  is_over_ = true;
  parked_as_.clear();
  if (pending_ == nullptr) return;
  server_.cancel(pending_);
  pending_->fail({ErrorCode::cancelled, Fault::client, "nobody waits for it"});
}

Task<void> ModernClientCall::run(OutboundRequest request) {
  const auto self = shared_from_this();
  pending_ = std::make_shared<PendingCall>(parts_.loop);
  pending_->on_pause([weak = weak_from_this()] {
    const auto alive = weak.lock();
    if (alive != nullptr && alive->client_ != nullptr) alive->client_->pause();
  });
  if (!said_.log_level.empty() && shared_.levels.raise(server_.key(), said_.log_level)) {
    co_await set_log_level();
    if (is_over_) co_return;
  }
  server_.call(std::move(request), pending_);
  while (!is_over_) {
    Result<ReceivedMessage> received = co_await pending_->next(patience());
    if (is_over_) co_return;
    if (client_ != nullptr) client_->note_beginning(pending_->beginning());
    if (received.has_value()) {
      if (take(*std::move(received))) co_return;
    } else if (received.error().code != ErrorCode::timed_out || pending_->has_ended()) {
      co_return fail(received.error());
    } else if (!parked_as_.empty() && steady_now() >= parked_until_) {
      give_up();
    } else if (client_ != nullptr && !asked_.empty()) {
      ask_client();
    }
  }
}

/// How long to wait for the next message.
std::chrono::milliseconds ModernClientCall::patience() const {
  if (client_ != nullptr)
    return asked_.empty() ? kAnyTime : std::chrono::milliseconds(kSameQuestion);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(parked_until_ - steady_now());
  return std::max(left, std::chrono::milliseconds(1));
}

/// Returns whether the call is over.
bool ModernClientCall::take(ReceivedMessage received) {
  const Message& message = received.message;
  if (message.is_request()) {
    take_request(message);
  } else if (message.is_notification()) {
    pass_notification(std::move(received));
  } else {
    deliver_answer(message);
    return client_ != nullptr;
  }
  return false;
}

void ModernClientCall::take_request(const Message& request) {
  const bool is_known = may_be_asked(request.known->id) && has_declared(said_.declared, request);
  if (is_known && asked_.size() < limits::input_requests_max) {
    Asked asked{.key = "input" + std::to_string(++last_key_),
                .id_json = std::string(request.id.raw()),
                .entry = input_request(request),
                .asked_in = pending_->beginning()};
    // It may wait as long as its client likes.
    if (hold(parts_.memory, asked.memory, asked.entry.size())) {
      asked_.push_back(std::move(asked));
      return;
    }
  }
  const std::string_view why =
      is_known ? "too many requests at once" : "the client did not declare that it can do this";
  if (request.known->id != MethodId::ping) {
    parts_.events.dropped(server_.key(), "request_not_passed_on");
  }
  auto answer = own_answer(Era::legacy, request, why);
  if (answer.has_value()) server_.answer(*std::move(answer), pending_->beginning());
}

/// Passes logs only to a client that asked for them, with the wanted severity. Changes at the
/// server are not part of the call: they go to the streams of their subscribers.
/// Source: MCP 2026-07-28, basic/patterns/subscriptions.
void ModernClientCall::pass_notification(ReceivedMessage received) {
  const Message& message = received.message;
  const bool is_update = message.known->id == MethodId::notifications_resources_updated;
  if (is_update || tells_of_changed_list(message)) {
    return parts_.events.message(server_.key(), std::move(received));
  }
  if (message.known->id == MethodId::notifications_message) {
    const bool is_wanted =
        !said_.log_level.empty() &&
        log_severity(message.params.find("level").text()) >= log_severity(said_.log_level);
    if (!is_wanted) return;
  }
  if (client_ != nullptr) static_cast<void>(client_->deliver(std::move(received)));
}

void ModernClientCall::deliver_answer(const Message& answer) {
  std::string text;
  const bool is_result = answer.kind == MessageKind::response;
  const std::optional<std::string> urls = is_result ? std::nullopt : required_urls(answer.error);
  if (is_result) {
    text = write_result(kBridgeId, modern_result(answer.result, method_));
  } else if (urls.has_value()) {
    text =
        write_result(kBridgeId, R"({"resultType":"input_required","inputRequests":)" + *urls + "}");
  } else {
    text = error_answer(modern_error(answer.error, uri_));
  }
  if (client_ == nullptr) {
    answer_ = std::move(text);
  } else {
    deliver_text(parts_, *client_, std::move(text));
  }
}

/// Responds to the client with the server's requests, and parks the call.
void ModernClientCall::ask_client() {
  const InstanceKey& key = server_.key();
  parked_as_ = shared_.parked.park(
      shared_from_this(),
      {.principal = said_.principal,
       .instance = key.server + "/" + key.owner + "/" + std::to_string(key.number),
       .places = server_.max_in_flight()},
      parts_.random);
  if (parked_as_.empty()) {
    server_.cancel(pending_);
    pending_->fail({ErrorCode::cancelled, Fault::gateway, "too many calls wait for input"});
    is_over_ = true;
    return client_->fail({ErrorCode::overloaded, Fault::gateway, "too many calls wait for input"});
  }
  parked_until_ = steady_now() + kParked;
  pending_->stand_aside();
  std::string requests;
  for (const Asked& one : asked_) {
    if (!requests.empty()) requests += ',';
    append_json_string(requests, one.key);
    requests += ':' + one.entry;
  }
  const std::shared_ptr<PendingCall> client = std::exchange(client_, nullptr);
  deliver_text(
      parts_, *client,
      write_result(kBridgeId, R"({"resultType":"input_required","inputRequests":{)" + requests +
                                  R"(},"requestState":)" + json_string(parked_as_) + "}"));
}

void ModernClientCall::resume(Permit request, const std::vector<Response>& responses,
                              std::shared_ptr<PendingCall> client) {
  client_ = std::move(client);
  parked_as_.clear();
  pending_->stand_aside(false);
  client_->note_beginning(pending_->beginning());
  if (answer_.has_value()) {
    // The server's requests are moot: it has responded meanwhile.
    is_over_ = true;
    deliver_text(parts_, *client_, *std::exchange(answer_, std::nullopt));
    pending_->fail({ErrorCode::cancelled, Fault::client, "it has its answer"});
    return;
  }
  for (const Response& response : responses) {
    const auto asked = std::ranges::find(asked_, response.key, &Asked::key);
    if (asked == asked_.end()) continue;
    server_.answer(request.as_answer(response.result, asked->id_json), asked->asked_in);
    asked_.erase(asked);
  }
  // Unanswered requests are sent to the client again.
  if (!asked_.empty()) ask_client();
}

void ModernClientCall::fail(const Error& error) {
  if (client_ != nullptr) return client_->fail(error, pending_->retry_after());
  // A returning client finds nothing, except if it has taken the call already.
  if (shared_.parked.take(parked_as_) != nullptr) return;
  answer_ = write_error(kBridgeId, -32603, "the server ended the call while it waited for input");
}

}  // namespace bartizan
