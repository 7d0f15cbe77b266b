// GET and DELETE on the MCP endpoint: the stream of a legacy session, and its end.
#include <utility>

#include "gateway/mcp_request.h"
#include "schemas/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

/// The session's worker has no room for the request, or has not come to it in time.
Task<bool> McpRequest::refuse_busy() {
  co_return co_await connection_.refuse({.status = 503,
                                         .reason = Reason::overloaded,
                                         .detail = "the session's worker is overloaded"});
}

Task<bool> McpRequest::serve_get() {
  if (!covers(head_.find(KnownHeader::accept).value_or(""), "text/event-stream")) {
    co_return co_await connection_.refuse({.status = 406,
                                           .reason = Reason::http_not_acceptable,
                                           .detail = "GET opens an event stream; accept one"});
  }
  const Inbound inbound = make_inbound({}, Era::legacy, kNewestLegacyVersion, 0);
  Worker* home = home_of(inbound);
  auto reply = std::make_shared<HttpReply>(worker_.loop, &worker_.gateway.memory);
  if (home != nullptr) {
    auto exchange = std::make_shared<HttpExchange>(worker_.loop, home->loop, reply);
    const bool posted = home->loop.post(
        [home, id = inbound.session_id, principal = caller_.principal->id,
         credential = caller_.credential, snapshot = snapshot_, exchange = std::move(exchange)] {
          const auto session =
              home->sessions.find(id, principal, snapshot->config.session, Clock::now());
          if (session == nullptr) return exchange->finish({.protocol_error = ErrorCode::not_found});
          if (session->stream != nullptr) {
            // A second stream would take the first one's messages (CVE-2026-33946).
            return exchange->finish({.protocol_error = ErrorCode::overloaded});
          }
          session->stream = exchange;
          session->stream_credential = credential;
          // Weakly: what the reply holds must not hold the reply.
          exchange->on_cancel([weak = std::weak_ptr(session), its = exchange.get()] {
            const auto alive = weak.lock();
            if (alive != nullptr && alive->stream.get() == its) alive->stream = nullptr;
          });
          exchange->send({});
        });
    if (!posted) co_return co_await refuse_busy();
  } else {
    reply->finish({.protocol_error = ErrorCode::not_found});
  }
  co_await reply->wait(limits::json_answer_wait);
  if (!reply->has_message() && !reply->answer().has_value()) {
    // Nobody has looked yet whether there is such a session; should it be found, it stays free.
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
  // A stream may last for hours, and must not keep alive what a new configuration has replaced.
  caller_ = {};
  snapshot_ = nullptr;
  co_return co_await answer_stream(reply, Era::modern);
}

Task<bool> McpRequest::serve_delete() {
  const Inbound inbound = make_inbound({}, Era::legacy, kNewestLegacyVersion, 0);
  Worker* home = home_of(inbound);
  auto reply = std::make_shared<HttpReply>(worker_.loop, &worker_.gateway.memory);
  if (home != nullptr) {
    const bool posted =
        home->loop.post([home, id = inbound.session_id, principal = caller_.principal->id,
                         snapshot = snapshot_, reply, &connection = worker_.loop] {
          const auto session =
              home->sessions.find(id, principal, snapshot->config.session, Clock::now());
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
