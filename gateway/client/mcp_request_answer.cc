// Writes the response to a message: one JSON text, or an event stream.
#include <utility>

#include "gateway/client/mcp_request.h"
#include "gateway/http/sse.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Most calls are answered within this time; only after it is the client's socket watched.
constexpr std::chrono::milliseconds kWatchAfter{100};

/// The most bytes of events framed for the socket at once; others remain where they are reserved.
constexpr std::size_t kFramedBytes = std::size_t{64} << 10;

}  // namespace

void McpRequest::watch(const std::shared_ptr<HttpReply>& reply, Era era) {
  // In the modern era a closed connection cancels; a legacy client that closed its half still wants
  // its response.
  if (era == Era::modern) connection_.stream().watch([reply] { reply->cancel(); });
}

/// Waits for the end only, and watches whether the client leaves meanwhile.
Task<void> McpRequest::wait_for_end(const std::shared_ptr<HttpReply>& reply, Era era) {
  reply->take_only_end();
  watch(reply, era);
  while (!reply->answer().has_value())
    co_await reply->wait(limits::stream_keep_alive);
  connection_.stream().stop_watching();
}

Task<bool> McpRequest::answer_end_only(const std::shared_ptr<HttpReply>& reply, Era era) {
  co_await wait_for_end(reply, era);
  co_return co_await answer_whole(*reply->answer());
}

Task<bool> McpRequest::answer(std::shared_ptr<HttpReply> reply, Era era) {
  const Accepts accepted = accepts();
  if (accepted == Accepts::json) co_return co_await answer_end_only(reply, era);
  if (!co_await reply->wait(kWatchAfter)) {
    watch(reply, era);
    const std::chrono::milliseconds wait =
        reply->is_resumable() ? limits::resumable_answer_wait : limits::json_answer_wait;
    co_await reply->wait(wait - kWatchAfter);
    connection_.stream().stop_watching();
  }
  const bool whole = reply->answer().has_value() && !reply->has_message();
  const bool is_short =
      whole && (reply->answer()->message.empty() || reply->answer()->protocol_error.has_value() ||
                reply->answer()->status != nullptr);
  if (is_short || (whole && accepted == Accepts::both)) {
    co_await yield_batch(worker_.loop);
    co_return co_await answer_whole(*reply->answer());
  }
  reply->open();
  co_return co_await answer_stream(reply, era);
}

Task<bool> McpRequest::answer_whole(const Answer& answer) {
  std::vector<HeaderLine> headers;
  if (!answer.session_id.empty()) headers.push_back({"Mcp-Session-Id", answer.session_id});
  int status = 200;
  if (answer.status != nullptr) {
    status = answer.status->status;
    for (const auto& [name, value] : answer.status->headers)
      headers.push_back({name, value});
  } else if (answer.protocol_error.has_value()) {
    status = http_status(*answer.protocol_error);
  } else if (answer.message.empty()) {
    status = 202;
  }
  const std::string_view type = answer.message.empty() ? "" : "application/json";
  return connection_.respond(status, type, answer.message, headers);
}

std::shared_ptr<HttpReply> McpRequest::make_reply() const {
  return std::make_shared<HttpReply>(worker_.loop, &worker_.gateway.unread,
                                     connection_.principal());
}

Task<bool> McpRequest::answer_stream(const std::shared_ptr<HttpReply>& reply, Era era) {
  Stream& stream = connection_.stream();
  const bool keep = connection_.keeps_alive() && head_.minor_version() == 1;
  std::vector<HeaderLine> headers{{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  connection_.append_origin_headers(headers);
  if (reply->answer().has_value() && !reply->answer()->session_id.empty()) {
    headers.push_back({"Mcp-Session-Id", reply->answer()->session_id});
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
  const auto add_event = [&](std::string_view message, std::string_view id,
                             std::optional<std::uint32_t> retry_ms) {
    if (message.empty() && id.empty()) return;
    SseEventText event{.data = message, .retry_ms = retry_ms};
    if (!message.empty()) event.type = "message";
    if (!id.empty()) event.id = id;
    std::string text;
    append_event(text, event);
    add(text);
  };
  add(kSseKeepAlive);
  watch(reply, era);
  bool sound = true;
  MemoryShares::Held framed;
  while (sound) {
    while (out.size() < kFramedBytes && reply->has_message()) {
      const auto event = reply->take_event();
      add_event(event->text(), event->kept != nullptr ? event->kept->id_text() : event->id,
                event->retry_ms);
    }
    if (reply->is_overrun()) sound = false;
    if (!framed.hold(worker_.gateway.unread, connection_.principal(), out.size())) sound = false;
    const bool over = reply->answer().has_value() && !reply->has_message();
    if (over) {
      const ResumeEventPtr& last = reply->last_event();
      add_event(last != nullptr ? last->message : reply->answer()->message,
                last != nullptr ? last->id_text() : std::string(), {});
      if (chunked) out += kLastChunk;
    }
    if (!out.empty())
      sound = (co_await stream.write(out, limits::write_deadline)).has_value() && sound;
    out.clear();
    framed.release();
    if (over) break;
    if (!co_await reply->wait(limits::stream_keep_alive)) add(kSseKeepAlive);
    if (!stream.is_open()) sound = false;
  }
  stream.stop_watching();
  if (!sound) reply->cancel();
  co_return sound&& keep;
}

}  // namespace bartizan
