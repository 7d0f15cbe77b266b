#include "gateway/mcp_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/answer_denial.h"
#include "gateway/batch.h"
#include "gateway/check_source.h"
#include "gateway/classify.h"
#include "gateway/handle_call.h"
#include "gateway/sse.h"
#include "schemas/error_code.h"
#include "schemas/limits.h"
#include "schemas/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a legacy endpoint tells a modern client to take it for one, in words it falls back on.
constexpr std::string_view kLegacyOnly =
    "Bad Request: this endpoint speaks MCP 2025-11-25 and earlier; send initialize";
constexpr int kLegacyOnlyCode = -32000;
/// A client's first moments are often the servers' too.
constexpr std::chrono::milliseconds kProbePoll{50};
/// Most calls are answered before a client can have gone; only then is its socket looked at.
constexpr std::chrono::milliseconds kWatchAfter{100};

std::string quoted_line(std::string_view key, std::string_view value) {
  std::string line = "[listen] " + std::string(key) + " = [";
  append_json_string(line, value.substr(0, 128));
  return line + "]";
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Whether a media range of an `Accept` list covers `type/subtype`.
bool covers(std::string_view accept, std::string_view type) {
  while (!accept.empty()) {
    const std::size_t comma = std::min(accept.find(','), accept.size());
    std::string_view range = accept.substr(0, comma);
    accept.remove_prefix(std::min(comma + 1, accept.size()));
    range = range.substr(0, range.find(';'));
    while (range.starts_with(' ') || range.starts_with('\t')) range.remove_prefix(1);
    while (range.ends_with(' ') || range.ends_with('\t')) range.remove_suffix(1);
    if (range == "*/*" || equal_ignoring_case(range, type)) return true;
    const std::string_view main = type.substr(0, type.find('/') + 1);
    if (range.ends_with("/*") && equal_ignoring_case(range.substr(0, range.size() - 1), main)) {
      return true;
    }
  }
  return false;
}

/// `application/json`, alone or with `charset=utf-8`.
bool is_json(std::string_view content_type) {
  const std::size_t semicolon = std::min(content_type.find(';'), content_type.size());
  std::string_view type = content_type.substr(0, semicolon);
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (!equal_ignoring_case(type, "application/json")) return false;
  std::string_view parameter = content_type.substr(std::min(semicolon + 1, content_type.size()));
  while (parameter.starts_with(' ')) parameter.remove_prefix(1);
  while (parameter.ends_with(' ')) parameter.remove_suffix(1);
  return semicolon == content_type.size() || equal_ignoring_case(parameter, "charset=utf-8") ||
         equal_ignoring_case(parameter, "charset=\"utf-8\"");
}

MirroredHeaders mirrored(const RequestHead& head) {
  MirroredHeaders headers{.protocol_version = head.find(KnownHeader::mcp_protocol_version),
                          .method = head.find(KnownHeader::mcp_method),
                          .name = head.find(KnownHeader::mcp_name)};
  constexpr std::size_t prefix = std::string_view("mcp-param-").size();
  for (const HeaderField& field : head.fields().all()) {
    if (field.known == KnownHeader::mcp_param) {
      headers.params.emplace_back(field.name.substr(prefix), field.value);
    }
  }
  return headers;
}

}  // namespace

McpRequest::McpRequest(Connection& connection)
    : connection_(connection),
      worker_(connection.worker_),
      head_(*connection.head_),
      snapshot_(connection.worker_.snapshot) {}

Task<bool> McpRequest::serve() {
  if (auto refusal = check_source()) co_return co_await connection_.refuse(std::move(*refusal));
  if (head_.method() == HttpMethod::options) co_return co_await preflight();
  if (auto refusal = check_request()) co_return co_await connection_.refuse(std::move(*refusal));
  if (auto refusal = co_await authenticate()) {
    co_return co_await connection_.refuse(std::move(*refusal));
  }
  connection_.authenticated_ = true;
  if (head_.method() == HttpMethod::get) co_return co_await serve_get();
  if (head_.method() == HttpMethod::delete_) co_return co_await serve_delete();
  if (auto refusal = check_media()) co_return co_await connection_.refuse(std::move(*refusal));
  co_return co_await serve_post();
}

// --- What HTTP itself refuses -------------------------------------------------------------------

std::optional<HttpRefusal> McpRequest::check_source() {
  const ListenConfig& listen = snapshot_->config.listen;
  if (!is_host_allowed(listen, head_.host())) {
    return HttpRefusal{.status = 403,
                       .reason = Reason::host_not_allowed,
                       .detail = "the Host header names another site",
                       .hint = quoted_line("allowed_hosts", head_.host())};
  }
  const auto origin = head_.find(KnownHeader::origin);
  if (origin.has_value() && !is_origin_allowed(listen, *origin)) {
    return HttpRefusal{.status = 403,
                       .reason = Reason::origin_not_allowed,
                       .detail = "the Origin header names a site that is not allowed",
                       .hint = quoted_line("allowed_origins", *origin)};
  }
  if (origin.has_value()) connection_.origin_ = *origin;
  return std::nullopt;
}

std::optional<HttpRefusal> McpRequest::check_request() const {
  if (head_.path() != snapshot_->config.listen.path) {
    return HttpRefusal{.status = 404, .reason = Reason::http_not_found, .detail = "no such path"};
  }
  const HttpMethod method = head_.method();
  const bool has_session = head_.has(KnownHeader::mcp_session_id);
  const bool of_session = method == HttpMethod::get || method == HttpMethod::delete_;
  // Without a session, GET and DELETE are the modern era's to refuse: it knows POST alone.
  if (method == HttpMethod::post || (of_session && has_session)) return std::nullopt;
  return HttpRefusal{.status = 405,
                     .reason = Reason::http_method_not_allowed,
                     .detail = "this endpoint takes POST; GET and DELETE need a session",
                     .headers = {{"Allow", has_session ? "POST, GET, DELETE" : "POST"}}};
}

std::optional<HttpRefusal> McpRequest::check_media() const {
  const std::string_view type = head_.find(KnownHeader::content_type).value_or("");
  if (!is_json(type) || head_.has_content_coding()) {
    return HttpRefusal{.status = 415,
                       .reason = Reason::http_unsupported_media_type,
                       .detail = "a message is sent as application/json in UTF-8, not encoded"};
  }
  if (accepts() == Accepts::nothing) {
    return HttpRefusal{.status = 406,
                       .reason = Reason::http_not_acceptable,
                       .detail = "Accept must list application/json and text/event-stream"};
  }
  return std::nullopt;
}

McpRequest::Accepts McpRequest::accepts() const {
  const auto accept = head_.find(KnownHeader::accept);
  if (!accept.has_value()) return Accepts::both;
  const bool json = covers(*accept, "application/json");
  const bool stream = covers(*accept, "text/event-stream");
  if (json && stream) return Accepts::both;
  if (json) return Accepts::json;
  return stream ? Accepts::stream : Accepts::nothing;
}

Task<std::optional<HttpRefusal>> McpRequest::authenticate() {
  const Credentials credentials{.authorization = head_.find(KnownHeader::authorization),
                                .query = head_.query(),
                                .peer = connection_.stream_->peer()};
  auto proved = co_await snapshot_->authenticator.authenticate(*snapshot_->policy, credentials,
                                                               unix_seconds());
  if (proved.has_value()) {
    caller_ = std::move(*proved);
    co_return std::nullopt;
  }
  co_return HttpRefusal{.status = 401,
                        .reason = proved.error().reason,
                        .detail = proved.error().detail,
                        .headers = {{"WWW-Authenticate", "Bearer"}}};
}

Task<bool> McpRequest::preflight() {
  if (connection_.origin_.empty()) {
    co_return co_await connection_.refuse({.status = 405,
                                           .reason = Reason::http_method_not_allowed,
                                           .detail = "OPTIONS without an allowed Origin",
                                           .headers = {{"Allow", "POST"}}});
  }
  const std::string_view wanted =
      head_.find(KnownHeader::access_control_request_headers).value_or("Content-Type");
  const std::array<HeaderLine, 3> headers{{{"Access-Control-Allow-Methods", "POST, GET, DELETE"},
                                           {"Access-Control-Allow-Headers", wanted},
                                           {"Access-Control-Max-Age", "600"}}};
  co_return co_await connection_.respond(204, "", "", headers);
}

Task<bool> McpRequest::reject(ErrorCode code, std::string_view message, std::string_view id_json,
                              std::string_view data_json) {
  const Answer answer = answer_protocol_error(code, message, id_json, data_json);
  Reason reason = Reason::invalid_request;
  if (rpc_code(code) == RpcCode::parse_error) reason = Reason::parse_error;
  if (code == ErrorCode::ambiguous_member) reason = Reason::ambiguous_member;
  if (code == ErrorCode::invalid_params) reason = Reason::invalid_params;
  if (code == ErrorCode::method_not_found) reason = Reason::method_not_found;
  if (code == ErrorCode::header_mismatch) reason = Reason::header_mismatch;
  if (code == ErrorCode::unsupported_version) reason = Reason::unsupported_version;
  if (code == ErrorCode::overloaded) reason = Reason::overloaded;
  if (code == ErrorCode::json_size) reason = Reason::http_too_large;
  co_return co_await connection_.refuse({.status = http_status(code),
                                         .reason = reason,
                                         .detail = std::string(message),
                                         .body = answer.message});
}

// --- Which call it is ---------------------------------------------------------------------------

Task<bool> McpRequest::serve_post() {
  Result<Bytes> body = co_await connection_.read_body();
  if (!body.has_value()) {
    const ErrorCode code = body.error().code;
    if (code == ErrorCode::closed) co_return false;
    const bool too_large = code == ErrorCode::http_limit;
    co_return co_await connection_.refuse(
        {.status = too_large ? 413 : code == ErrorCode::overloaded ? 503 : 400,
         .reason = too_large                       ? Reason::http_too_large
                   : code == ErrorCode::overloaded ? Reason::overloaded
                                                   : Reason::http_malformed,
         .detail = body.error().detail});
  }
  if (worker_.gateway.draining.load(std::memory_order_relaxed)) {
    co_return co_await connection_.refuse(
        {.status = 503, .reason = Reason::shutting_down, .detail = "the gateway is stopping"});
  }
  const std::size_t bytes = body->size();
  Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory, std::move(*body), {});
  if (!receipt.has_value()) {
    const RefusedMessage& refused = receipt.error();
    co_return co_await reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  if (!co_await wait_for_servers()) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::server_unavailable,
                                           .detail = "no server has answered yet",
                                           .headers = {{"Retry-After", "1"}}});
  }
  if (receipt->is_batch()) co_return co_await dispatch_batch(std::move(*receipt), bytes);
  co_return co_await dispatch(std::move(*receipt), bytes);
}

Task<bool> McpRequest::wait_for_servers() {
  Signal pause(worker_.loop.executor(), worker_.loop.wheel());
  const Clock::time_point deadline = Clock::now() + limits::server_start_deadline;
  while (!worker_.directory->probed && Clock::now() < deadline) co_await pause.wait(kProbePoll);
  co_return worker_.directory->probed;
}

Inbound McpRequest::make_inbound(ReceivedMessage received, Era era, ProtocolVersion version,
                                 std::size_t bytes) {
  Inbound inbound{.received = std::move(received),
                  .era = era,
                  .version = version,
                  .snapshot = snapshot_,
                  .caller = caller_,
                  .source = connection_.stream_->peer(),
                  .transport = "http",
                  .bytes = bytes,
                  .received_at = Clock::now()};
  if (era == Era::modern) {
    // The head may be read over before the call ends, and on another worker: it keeps a copy.
    inbound.head = std::make_shared<const std::string>(connection_.head_bytes_);
    RequestHead copy;
    if (copy.read(*inbound.head).has_value()) inbound.headers = mirrored(copy);
  } else {
    inbound.session_id = head_.find(KnownHeader::mcp_session_id).value_or("");
  }
  return inbound;
}

/// The worker that a legacy message belongs to; null for a session that no worker gave out.
Worker* McpRequest::home_of(const Inbound& inbound) const {
  if (inbound.era == Era::modern || inbound.session_id.empty()) return &worker_;
  const auto home = session_home(inbound.session_id);
  if (!home.has_value() || *home >= worker_.gateway.workers.size()) return nullptr;
  return worker_.gateway.workers[*home].get();
}

Task<bool> McpRequest::dispatch(ReceivedMessage received, std::size_t bytes) {
  const Message message = received.message;
  const std::string id(message.id.raw());
  const auto classified = classify(message, head_.find(KnownHeader::mcp_protocol_version));
  const Directory& directory = *worker_.directory;
  if (!classified.has_value()) {
    const Unclassified& error = classified.error();
    co_return co_await reject(error.code, error.message, id, error.data_json);
  }
  if (classified->era == Era::modern && !directory.answers(Era::modern)) {
    co_return co_await connection_.refuse({.status = 400,
                                           .reason = Reason::unsupported_version,
                                           .detail = "the servers speak the legacy era only",
                                           .body = write_error(id, kLegacyOnlyCode, kLegacyOnly)});
  }
  const bool begins = message.known->id == MethodId::initialize;
  if (classified->era == Era::legacy && begins && !directory.answers(Era::legacy) &&
      directory.answers(Era::modern)) {
    co_return co_await reject(ErrorCode::unsupported_version,
                              "the servers speak 2026-07-28 only", id,
                              R"({"supported":["2026-07-28"]})");
  }
  if (classified->era == Era::legacy && !begins && !head_.has(KnownHeader::mcp_session_id)) {
    co_return co_await reject(ErrorCode::invalid_request,
                              "Mcp-Session-Id is missing: send initialize first", id);
  }
  const Era era = classified->era;
  Inbound inbound = make_inbound(std::move(received), era, classified->version, bytes);
  Worker* home = home_of(inbound);
  if (home == nullptr) {
    co_return co_await connection_.refuse(
        {.status = 404,
         .reason = Reason::session_unknown,
         .detail = "no such session",
         .body = write_error(id, -32600, explanation(Reason::session_unknown))});
  }
  auto reply = std::make_shared<HttpReply>(worker_.loop);
  auto exchange = std::make_shared<HttpExchange>(worker_.loop, home->loop, reply);
  const bool posted = home->loop.post(
      [home, inbound = std::move(inbound), exchange = std::move(exchange)]() mutable {
        spawn(home->loop, handle_call(*home, std::move(inbound), std::move(exchange)));
      });
  if (!posted) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::overloaded,
                                           .detail = "the session's worker is overloaded"});
  }
  co_return co_await answer(std::move(reply), era);
}

/// A batch of the one revision that has them: each element is a call of its own.
Task<bool> McpRequest::dispatch_batch(ReceivedMessage received, std::size_t bytes) {
  const JsonValue array = received.document->root();
  const auto header = head_.find(KnownHeader::mcp_protocol_version);
  const auto version = header.has_value() ? parse_protocol_version(*header) : kHeaderlessVersion;
  if (!version.has_value() || !allows_batches(*version)) {
    co_return co_await reject(ErrorCode::invalid_request, "batches are of 2025-03-26 only", "");
  }
  const std::size_t size = array.size();
  if (size == 0 || size > limits::batch_messages_max) {
    co_return co_await reject(ErrorCode::invalid_request, "a batch has 1 to 64 messages", "");
  }
  std::vector<ReceivedMessage> elements;
  for (const JsonValue element : array) {
    Receipt receipt = receive_element(worker_.loop, element);
    const bool is_modern =
        receipt.has_value() && receipt->message.meta.find(meta_key::protocol_version);
    if (!receipt.has_value() || is_modern ||
        receipt->message.known->id == MethodId::initialize) {
      co_return co_await reject(ErrorCode::invalid_request, "an element is no message of a batch",
                                receipt.has_value() ? "" : receipt.error().id_json);
    }
    elements.push_back(std::move(*receipt));
  }
  if (!head_.has(KnownHeader::mcp_session_id)) {
    co_return co_await reject(ErrorCode::invalid_request,
                              "Mcp-Session-Id is missing: send initialize first", "");
  }
  auto reply = std::make_shared<HttpReply>(worker_.loop);
  Inbound shared = make_inbound({}, Era::legacy, *version, bytes);
  Worker* home = home_of(shared);
  if (home == nullptr) {
    co_return co_await connection_.refuse(
        {.status = 404, .reason = Reason::session_unknown, .detail = "no such session"});
  }
  auto exchange = std::make_shared<HttpExchange>(worker_.loop, home->loop, reply);
  const bool posted = home->loop.post([home, shared = std::move(shared),
                                       elements = std::move(elements),
                                       exchange = std::move(exchange)]() mutable {
    handle_batch(*home, std::move(shared), std::move(elements), std::move(exchange));
  });
  if (!posted) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::overloaded,
                                           .detail = "the session's worker is overloaded"});
  }
  co_return co_await answer(std::move(reply), Era::legacy);
}

Task<bool> McpRequest::serve_get() {
  if (!covers(head_.find(KnownHeader::accept).value_or(""), "text/event-stream")) {
    co_return co_await connection_.refuse({.status = 406,
                                           .reason = Reason::http_not_acceptable,
                                           .detail = "GET opens an event stream; accept one"});
  }
  const Inbound inbound = make_inbound({}, Era::legacy, kNewestLegacyVersion, 0);
  Worker* home = home_of(inbound);
  auto reply = std::make_shared<HttpReply>(worker_.loop);
  if (home != nullptr) {
    auto exchange = std::make_shared<HttpExchange>(worker_.loop, home->loop, reply);
    home->loop.post_answer([home, id = inbound.session_id, principal = caller_.principal->id,
                            snapshot = snapshot_, exchange = std::move(exchange)] {
      const auto session = home->sessions.find(id, principal, snapshot->config.session, Clock::now());
      if (session == nullptr) return exchange->finish({.protocol_error = ErrorCode::not_found});
      if (session->stream != nullptr) {
        // A second stream would take the first one's messages (CVE-2026-33946).
        return exchange->finish({.protocol_error = ErrorCode::overloaded});
      }
      session->stream = exchange;
      // Weakly: what the reply holds must not hold the reply.
      exchange->on_cancel([weak = std::weak_ptr(session), its = exchange.get()] {
        const auto alive = weak.lock();
        if (alive != nullptr && alive->stream.get() == its) alive->stream = nullptr;
      });
      exchange->send({});
    });
  } else {
    reply->finish({.protocol_error = ErrorCode::not_found});
  }
  co_await reply->wait(limits::json_answer_wait);
  if (reply->answer().has_value() && reply->answer()->protocol_error.has_value()) {
    const bool taken = *reply->answer()->protocol_error == ErrorCode::overloaded;
    co_return co_await connection_.refuse(
        {.status = taken ? 409 : 404,
         .reason = taken ? Reason::invalid_request : Reason::session_unknown,
         .detail = taken ? "the session has a stream already" : "no such session"});
  }
  co_return co_await answer_stream(reply, Era::modern);
}

Task<bool> McpRequest::serve_delete() {
  const Inbound inbound = make_inbound({}, Era::legacy, kNewestLegacyVersion, 0);
  Worker* home = home_of(inbound);
  auto reply = std::make_shared<HttpReply>(worker_.loop);
  if (home != nullptr) {
    home->loop.post_answer([home, id = inbound.session_id, principal = caller_.principal->id,
                            snapshot = snapshot_, reply, &connection = worker_.loop] {
      const auto session = home->sessions.find(id, principal, snapshot->config.session, Clock::now());
      Answer answer;
      if (session == nullptr) {
        answer.protocol_error = ErrorCode::not_found;
      } else {
        home->sessions.end(id);
        home->end_owner(id);
      }
      connection.post_answer([reply, answer = std::move(answer)]() mutable {
        reply->finish(std::move(answer));
      });
    });
  } else {
    reply->finish({.protocol_error = ErrorCode::not_found});
  }
  co_await reply->wait(limits::json_answer_wait);
  if (!reply->answer().has_value() || reply->answer()->protocol_error.has_value()) {
    co_return co_await connection_.refuse(
        {.status = 404, .reason = Reason::session_unknown, .detail = "no such session"});
  }
  co_return co_await connection_.respond(204, "", "", {});
}

// --- How its answer is written ------------------------------------------------------------------

void McpRequest::watch(const std::shared_ptr<HttpReply>& reply, Era era) {
  connection_.stream_->watch([reply, era, stream = connection_.stream_.get()] {
    // Data is the next request, which waits. An end cancels in the modern era; a legacy client
    // that closed its half still wants its answer.
    if (stream->peek_idle() == Stream::Idle::ended && era == Era::modern) reply->cancel();
  });
}

Task<bool> McpRequest::answer(std::shared_ptr<HttpReply> reply, Era era) {
  if (!co_await reply->wait(kWatchAfter)) {
    watch(reply, era);
    co_await reply->wait(limits::json_answer_wait - kWatchAfter);
    connection_.stream_->stop_watching();
  }
  const bool whole = reply->answer().has_value() && !reply->has_message();
  const Accepts accepted = accepts();
  if (accepted == Accepts::json) {
    // A client that takes no stream gets the end and nothing before it.
    while (!reply->answer().has_value()) {
      while (reply->take_message().has_value()) continue;
      co_await reply->wait(limits::stream_keep_alive);
    }
    co_return co_await answer_whole(*reply->answer());
  }
  const bool is_short = whole && (reply->answer()->message.empty() ||
                                  reply->answer()->protocol_error.has_value());
  if (is_short || (whole && accepted == Accepts::both)) {
    co_return co_await answer_whole(*reply->answer());
  }
  co_return co_await answer_stream(reply, era);
}

Task<bool> McpRequest::answer_whole(const Answer& answer) {
  std::vector<HeaderLine> headers;
  if (!answer.session_id.empty()) headers.push_back({"Mcp-Session-Id", answer.session_id});
  int status = 200;
  if (answer.protocol_error.has_value()) {
    status = http_status(*answer.protocol_error);
  } else if (answer.message.empty()) {
    status = 202;
  }
  const std::string_view type = answer.message.empty() ? "" : "application/json";
  co_return co_await connection_.respond(status, type, answer.message, headers);
}

Task<bool> McpRequest::answer_stream(const std::shared_ptr<HttpReply>& reply, Era era) {
  Stream& stream = *connection_.stream_;
  const bool keep = connection_.keeps_alive() && head_.minor_version() == 1;
  std::vector<HeaderLine> headers{{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  if (!connection_.origin_.empty()) {
    headers.push_back({"Access-Control-Allow-Origin", connection_.origin_});
    headers.push_back({"Access-Control-Expose-Headers", "Mcp-Session-Id, MCP-Protocol-Version"});
  }
  const bool chunked = head_.minor_version() == 1;
  std::string out;
  const Result<void> written = append_response_head(
      out, {.status = 200,
            .content_type = "text/event-stream",
            .body = {chunked ? BodyFraming::chunked : BodyFraming::until_close, 0},
            .after = keep ? AfterMessage::keep_alive : AfterMessage::close,
            .headers = headers});
  if (!written.has_value()) co_return false;
  const auto add = [&](std::string_view text) {
    chunked ? append_chunk(out, text) : static_cast<void>(out += text);
  };
  const auto add_event = [&](std::string_view message) {
    if (message.empty()) return;
    std::string event;
    append_event(event, {.data = message, .type = "message"});
    add(event);
  };
  add(kSseKeepAlive);
  watch(reply, era);
  bool sound = true;
  while (sound) {
    while (const auto message = reply->take_message()) add_event(*message);
    if (reply->is_overrun()) sound = false;
    const bool over = reply->answer().has_value();
    if (over) {
      add_event(reply->answer()->message);
      if (chunked) out += kLastChunk;
    }
    if (!out.empty()) sound = (co_await stream.write(out, limits::write_deadline)).has_value() && sound;
    out.clear();
    if (over) break;
    if (!co_await reply->wait(limits::stream_keep_alive)) add(kSseKeepAlive);
    if (!stream.is_open()) sound = false;
  }
  stream.stop_watching();
  if (!sound) reply->cancel();
  co_return sound && keep;
}

}  // namespace bartizan
