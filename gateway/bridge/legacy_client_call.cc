#include "gateway/bridge/legacy_client_call.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "gateway/bridge/message_text.h"
#include "gateway/token/base64url.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// The most rounds of input for one call. Source: the official SDKs have the same limit.
constexpr int kRoundsMax = 10;
/// The pause before a retry that the server wants without any input.
constexpr std::chrono::milliseconds kPause{200};
/// The call has a deadline of its own.
constexpr std::chrono::hours kAnyTime{24};

OutboundRequest repeated(const OutboundRequest& request) {
  return {.permit = request.permit.repeat(),
          .id = request.id,
          .progress_token = request.progress_token,
          .method = request.method,
          .name_header = request.name_header,
          .param_headers = request.param_headers,
          .judged_for = request.judged_for};
}

/// Adds the id that an elicitation by URL has in the legacy era.
/// Source: MCP 2025-11-25, client/elicitation, "URL Mode".
std::string legacy_params(std::string_view method, JsonValue params, Random& random) {
  const bool is_by_url = method == "elicitation/create" && params.find("mode").text() == "url";
  if (!is_by_url || params.find("elicitationId")) return std::string(params.raw());
  const auto bytes = random.draw<16>();
  std::string id = R"({"elicitationId":")";
  id += encode_base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return id + "\"," + std::string(params.raw().substr(1));
}

}  // namespace

LegacyClientCall::LegacyClientCall(const BridgeParts& parts, UpstreamHandle server,
                                   std::string session, ModernClaim claim)
    : parts_(parts),
      server_(std::move(server)),
      session_(std::move(session)),
      claim_(std::move(claim)),
      answered_(parts.loop) {}

void LegacyClientCall::call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) {
  client_ = std::move(client);
  method_ = find_method(request.method).id;
  server_.hear();
  const MessageText judged(request.permit.bytes());
  if (serve_here(request, method_)) return;
  // Removes members that the modern era reserves: the legacy client's were not judged.
  for (const Splice& cut : leave_modern_era(judged.message))
    request.permit.splice(cut.kind, cut.range, cut.replacement);
  const Splice claim = claim_modern_era(judged.message, claim_);
  request.permit.splice(claim.kind, claim.range, claim.replacement);
  spawn(parts_.loop, run(std::move(request)));
}

/// Serves requests that the modern era does not have.
bool LegacyClientCall::serve_here(const OutboundRequest& request, MethodId method) {
  if (method == MethodId::logging_set_level) {
    // Each later request contains the level.
    deliver_text(parts_, *client_, write_result(kBridgeId, "{}"));
    return true;
  }
  const bool begins = method == MethodId::resources_subscribe;
  if (!begins && method != MethodId::resources_unsubscribe) return false;
  const MessageText sent(request.permit.wire());
  server_.follow(
      {.uri = std::string(sent.message.uri.text()), .session = session_, .begins = begins},
      client_);
  return true;
}

void LegacyClientCall::cancel() {
  is_over_ = true;
  if (pending_ != nullptr) {
    server_.cancel(pending_);
    pending_->fail({ErrorCode::cancelled, Fault::client, "nobody waits for it"});
  }
  answered_.notify();
}

Task<void> LegacyClientCall::run(OutboundRequest request) {
  const auto self = shared_from_this();
  const OutboundRequest first = repeated(request);
  for (int round = 0; !is_over_; ++round) {
    pending_ = std::make_shared<PendingCall>(parts_.loop);
    pending_->on_pause([client = client_] { client->pause(); });
    server_.call(std::move(request), pending_);
    std::optional<ReceivedMessage> answer = co_await next_answer();
    if (!answer.has_value()) co_return;
    const bool is_result = answer->message.kind == MessageKind::response;
    const ResultKind kind = is_result ? result_kind(answer->message.result) : ResultKind::complete;
    if (kind == ResultKind::unknown) co_return fail("the server's result is of no known type");
    if (kind == ResultKind::complete) co_return deliver_answer(answer->message);
    if (round == kRoundsMax) co_return fail("the server wanted input of its client 10 times");
    std::optional<OutboundRequest> next = co_await next_round(*answer, first);
    if (!next.has_value()) co_return;
    request = std::move(*next);
  }
}

/// The response to the last sent request. Nothing if there is none; the client has then got an
/// error.
Task<std::optional<ReceivedMessage>> LegacyClientCall::next_answer() {
  const std::shared_ptr<PendingCall> pending = pending_;
  while (true) {
    Result<ReceivedMessage> received = co_await pending->next(kAnyTime);
    if (is_over_) co_return std::nullopt;
    client_->note_beginning(pending->beginning());
    if (!received.has_value()) {
      if (received.error().code == ErrorCode::timed_out && !pending->has_ended()) continue;
      client_->fail(received.error(), pending->retry_after());
      co_return std::nullopt;
    }
    if (received->message.is_answer()) co_return *std::move(received);
    // A modern server must not send requests. Source: MCP 2026-07-28, basic/patterns.
    if (received->message.is_request()) {
      parts_.events.dropped(server_.key(), "request_of_modern_server");
      continue;
    }
    static_cast<void>(client_->deliver(*std::move(received)));
  }
}

void LegacyClientCall::deliver_answer(const Message& answer) {
  std::string text;
  if (answer.kind == MessageKind::response) {
    text = write_result(kBridgeId, legacy_result(answer.result));
  } else {
    // The call finds its tool again, and is sent once more.
    const bool is_header =
        answer.error.find("code").integer() == static_cast<std::int64_t>(RpcCode::header_mismatch);
    text = error_answer(is_header ? std::string(answer.error.raw())
                                  : legacy_error(answer.error, method_));
  }
  deliver_text(parts_, *client_, std::move(text));
}

void LegacyClientCall::fail(std::string why) {
  client_->fail(server_failed(std::move(why)));
}

/// The request with the input that its server wants. Nothing if the client cannot give it; the
/// client has then got an error.
Task<std::optional<OutboundRequest>> LegacyClientCall::next_round(const ReceivedMessage& answer,
                                                                  const OutboundRequest& first) {
  const JsonValue requests = answer.message.result.find("inputRequests");
  const JsonValue state = answer.message.result.find("requestState");
  std::string members;
  if (requests && requests.size() > 0) {
    if (!co_await ask_client(requests)) co_return std::nullopt;
    const std::optional<std::string> responses = input_responses();
    if (!responses.has_value()) co_return std::nullopt;
    members = R"("inputResponses":)" + *responses + ",";
  } else {
    co_await answered_.wait(kPause);
  }
  if (is_over_) co_return std::nullopt;
  if (state) members += R"("requestState":)" + std::string(state.raw()) + ",";
  // The responses are recorded, and so is the repeated request.
  const Result<void> recorded =
      co_await parts_.events.record_gateway_message(server_.key(), first.method);
  if (is_over_) co_return std::nullopt;
  if (!recorded.has_value()) {
    client_->fail(recorded.error());
    co_return std::nullopt;
  }
  OutboundRequest next = repeated(first);
  const MessageText judged(next.permit.bytes());
  const std::size_t at = judged.message.params.range().begin + 1;
  next.permit.splice(SpliceKind::input_responses, {at, at}, std::move(members));
  co_return next;
}

/// Sends the client the server's requests, and waits for the responses. False if the call ends
/// meanwhile.
Task<bool> LegacyClientCall::ask_client(JsonValue requests) {
  asked_.clear();
  if (!requests.is(JsonType::object) || requests.size() > limits::input_requests_max) {
    fail("the server's inputRequests are none");
    co_return false;
  }
  for (const JsonValue entry : requests) {
    const std::uint64_t number = ++last_asked_;
    const std::string method(entry.find("method").text());
    const JsonValue params = entry.find("params");
    asked_.emplace(number, Asked{.key = std::string(entry.key()), .method = method});
    std::string text =
        write_request(std::to_string(number), method, legacy_params(method, params, parts_.random));
    if (!deliver_text(parts_, *client_, std::move(text))) refuse(std::to_string(number));
  }
  const auto is_open = [](const auto& one) { return one.second.is_open(); };
  while (!is_over_ && std::ranges::any_of(asked_, is_open))
    co_await answered_.wait(kAnyTime);
  co_return !is_over_;
}

/// The responses in the server's form. Nothing if one of them does not exist in the modern era; the
/// call has then failed.
std::optional<std::string> LegacyClientCall::input_responses() {
  std::string responses = "{";
  for (const auto& [number, asked] : asked_) {
    std::string result;
    if (asked.answer.has_value()) {
      const MessageText answer(asked.answer->bytes());
      result = answer.message.result.raw();
    }
    if (result.empty() && asked.method == "elicitation/create") result = R"({"action":"cancel"})";
    if (result.empty()) {
      deliver_text(parts_, *client_,
                   write_error(kBridgeId, -32603,
                               "the server asked its client for " + asked.method +
                                   " and got no result; MCP 2026-07-28, basic/patterns/mrtr, has "
                                   "no other answer to that"));
      return std::nullopt;
    }
    if (responses.size() > 1) responses += ',';
    append_json_string(responses, asked.key);
    responses += ':' + result;
  }
  return responses + "}";
}

/// The unanswered request of that id; null for none.
LegacyClientCall::Asked* LegacyClientCall::find_open(std::string_view id_json) {
  std::uint64_t number = 0;
  std::from_chars(id_json.data(), id_json.data() + id_json.size(), number);
  const auto found = asked_.find(number);
  return found != asked_.end() && found->second.is_open() ? &found->second : nullptr;
}

void LegacyClientCall::answer(std::string_view id_json, Permit answer) {
  Asked* const asked = find_open(id_json);
  if (asked == nullptr) return;
  asked->answer = std::move(answer);
  answered_.notify();
}

void LegacyClientCall::refuse(std::string_view id_json) {
  Asked* const asked = find_open(id_json);
  if (asked == nullptr) return;
  asked->is_refused = true;
  answered_.notify();
}

}  // namespace bartizan
