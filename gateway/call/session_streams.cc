#include "gateway/call/session_streams.h"

#include <utility>

#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<ResumeBuffer> kept_of(Worker& home, Session& session) {
  if (session.kept == nullptr) {
    session.kept = std::make_shared<ResumeBuffer>(home.kept, session.principal->id);
  }
  return session.kept;
}

}  // namespace

std::shared_ptr<Exchange> begin_exchange(Loop& home, StreamPreference wish, ReplyRoute route) {
  if (wish == StreamPreference::never)
    return std::make_shared<HttpExchange>(std::move(route), home);
  return std::make_shared<ResumableExchange>(home, wish, std::move(route));
}

void offer_resumption(CallFrame& frame, std::string_view request) {
  const bool is_offered = frame.exchange->is_resumable() && frame.session != nullptr &&
                          has_event_ids(frame.session->version) &&
                          request.size() <= limits::kept_request_bytes_max;
  if (!is_offered) return;
  if (!hold(frame.worker.gateway.memory, frame.resumable.memory, request.size())) return;
  frame.resumable.request = request;
  frame.pending->on_pause([weak = std::weak_ptr(frame.exchange)] {
    if (const auto exchange = weak.lock()) exchange->pause();
  });
  // The frame outlives the call's exchange, which asks once and not after the end.
  frame.exchange->on_open([&frame] {
    frame.resumable.memory.release();
    const bool has_target = frame.call.target_kind != TargetKind::none;
    return Keeping{.events = kept_of(frame.worker, *frame.session),
                   .version = frame.session->version,
                   .origin = {.decision_id = frame.decision_id,
                              .request = std::move(frame.resumable.request),
                              .server = has_target ? std::string(frame.call.server) : "",
                              .target = has_target ? frame.target.name : ""}};
  });
}

void begin_session_stream(Worker& home, const StreamRequest& request, ReplyRoute route) {
  const auto session = home.sessions.find(request.session_id, owner_of(request.caller),
                                          request.snapshot->config.session, coarse_now());
  if (session == nullptr) {
    return route.finish({.message = {}, .protocol_error = ErrorCode::not_found});
  }
  if (session->stream != nullptr && session->stream->has_listener()) {
    // A second stream would take the first one's messages (CVE-2026-33946).
    return route.finish({.message = {}, .protocol_error = ErrorCode::overloaded});
  }
  if (session->stream != nullptr) std::exchange(session->stream, nullptr)->finish({});
  session->stream_credential = request.caller.credential;
  session->principal = request.caller.principal;
  if (has_event_ids(session->version)) {
    auto exchange =
        std::make_shared<ResumableExchange>(home.loop, StreamPreference::at_once, std::move(route));
    exchange->on_open([&] {
      return Keeping{.events = kept_of(home, *session), .version = session->version, .origin = {}};
    });
    session->stream = std::move(exchange);
    return;
  }
  auto exchange = std::make_shared<HttpExchange>(std::move(route), home.loop);
  session->stream = exchange;
  // Weakly: what the reply holds must not hold the reply.
  exchange->on_cancel([weak = std::weak_ptr(session), its = exchange.get()] {
    const auto alive = weak.lock();
    if (alive != nullptr && alive->stream.get() == its) alive->stream = nullptr;
  });
  exchange->send({});
}

}  // namespace bartizan
