// GET and DELETE on the MCP endpoint: the stream of a legacy session, and its end.
#include <utility>

#include "gateway/client/mcp_request.h"
#include "gateway/http/accept.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kNotResumable =
    "Bad Request: this stream cannot be resumed from Last-Event-ID; the event is unknown, or what "
    "followed it is not kept any more";

}  // namespace

/// For a session whose worker has no room for the request, or has not reached it in time.
Task<bool> McpRequest::refuse_busy() {
  co_return co_await connection_.refuse({.status = 503,
                                         .reason = Reason::overloaded,
                                         .detail = "the session's worker is overloaded"});
}

Task<bool> McpRequest::serve_get() {
  if (!bartizan::accepts(head_.find(KnownHeader::accept).value_or(""), "text/event-stream")) {
    co_return co_await connection_.refuse({.status = 406,
                                           .reason = Reason::http_not_acceptable,
                                           .detail = "GET opens an event stream; accept one"});
  }
  if (!head_.find(KnownHeader::last_event_id).value_or("").empty()) {
    co_return co_await serve_resumption();
  }
  Worker* home = home_of_session();
  if (home == nullptr) co_return co_await refuse_stream(ErrorCode::not_found);
  auto reply = make_reply();
  const bool posted = home->loop.post(
      [home, request = stream_request(), route = ReplyRoute(worker_.loop, reply)]() mutable {
        begin_session_stream(*home, request, std::move(route));
      });
  // A stream without an event might belong to a session of another caller.
  if (!posted || !co_await reply->wait(limits::json_answer_wait)) {
    reply->cancel();
    co_return co_await refuse_busy();
  }
  if (reply->answer().has_value() && reply->answer()->protocol_error.has_value()) {
    const bool taken = *reply->answer()->protocol_error == ErrorCode::overloaded;
    co_return co_await connection_.refuse(
        {.status = taken ? 409 : 404,
         .reason = taken ? Reason::invalid_request : Reason::session_unknown,
         .detail = taken ? "the session has a stream already" : "no such session"});
  }
  // A stream may last for hours, and must not keep a replaced configuration alive.
  caller_ = {};
  snapshot_ = nullptr;
  co_return co_await answer_stream(reply, Era::modern);
}

StreamRequest McpRequest::stream_request() const {
  return {.session_id = std::string(head_.find(KnownHeader::mcp_session_id).value_or("")),
          .last_event_id = std::string(head_.find(KnownHeader::last_event_id).value_or("")),
          .caller = caller_,
          .snapshot = snapshot_,
          .source = connection_.peer().address().source};
}

/// GET with `Last-Event-ID`: the rest of a broken stream, of the session or of a call.
Task<bool> McpRequest::serve_resumption() {
  Worker* home = home_of_session();
  if (home == nullptr) co_return co_await refuse_stream(ErrorCode::not_found);
  auto reply = make_reply();
  const bool posted = home->loop.post(
      [home, request = stream_request(), route = ReplyRoute(worker_.loop, reply)]() mutable {
        spawn(home->loop, resume_stream(*home, std::move(request), std::move(route)));
      });
  if (!posted) co_return co_await refuse_busy();
  // Judging may request a server's list, which has a deadline of its own.
  while (!reply->has_message() && !reply->answer().has_value() && !reply->is_overrun())
    co_await reply->wait(limits::stream_keep_alive);
  if (reply->answer().has_value() && reply->answer()->protocol_error.has_value() &&
      !reply->has_message()) {
    co_return co_await refuse_stream(*reply->answer()->protocol_error);
  }
  // As in serve_get().
  caller_ = {};
  snapshot_ = nullptr;
  co_return co_await answer_stream(reply, Era::modern);
}

Task<bool> McpRequest::refuse_stream(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      co_return co_await connection_.refuse(
          {.status = 404, .reason = Reason::session_unknown, .detail = "no such session"});
    case ErrorCode::overloaded:
      co_return co_await connection_.refuse({.status = 429,
                                             .reason = Reason::limited,
                                             .detail = "this client reconnects too often",
                                             .headers = {{"Retry-After", "1"}}});
    case ErrorCode::server_unavailable:
    case ErrorCode::not_recordable:
      co_return co_await connection_.refuse({.status = 503,
                                             .reason = code == ErrorCode::not_recordable
                                                           ? Reason::not_recordable
                                                           : Reason::server_unavailable,
                                             .detail = "the stream is not available now",
                                             .headers = {{"Retry-After", "1"}}});
    default:
      co_return co_await connection_.refuse(
          {.status = 400,
           .reason = Reason::invalid_request,
           .detail = "Last-Event-ID names no event, or what followed it is not kept any more",
           .body = write_error("", -32000, kNotResumable)});
  }
}

Task<bool> McpRequest::serve_delete() {
  Worker* home = home_of_session();
  auto reply = make_reply();
  if (home != nullptr) {
    const bool posted = home->loop.post([home, id = stream_request().session_id, caller = caller_,
                                         snapshot = snapshot_, reply, &connection = worker_.loop] {
      const auto session =
          home->sessions.find(id, owner_of(caller), snapshot->config.session, coarse_now());
      Answer answer;
      if (session == nullptr) {
        answer.protocol_error = ErrorCode::not_found;
      } else {
        home->sessions.end(id);
        home->end_owner(id);
      }
      connection.post_answer(
          [reply, answer = std::move(answer)]() mutable { reply->finish(std::move(answer)); });
    });
    if (!posted) co_return co_await refuse_busy();
  } else {
    reply->finish({.protocol_error = ErrorCode::not_found});
  }
  co_await reply->wait(limits::json_answer_wait);
  if (!reply->answer().has_value()) co_return co_await refuse_busy();
  if (reply->answer()->protocol_error.has_value()) {
    co_return co_await connection_.refuse(
        {.status = 404, .reason = Reason::session_unknown, .detail = "no such session"});
  }
  co_return co_await connection_.respond(204, "", "", {});
}

}  // namespace bartizan
