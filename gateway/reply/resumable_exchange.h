#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/reply/http_reply.h"
#include "gateway/reply/resume_buffer.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// When the response to a request becomes an event stream.
enum class StreamPreference : std::uint8_t {
  never,        ///< The client accepts only JSON.
  when_needed,  ///< With the first message before the end, or when the end is late.
  at_once       ///< The client prefers a stream, or accepts only that.
};

/// The place and origin of an exchange's kept messages.
struct Keeping {
  std::shared_ptr<ResumeBuffer> events;
  ProtocolVersion version;
  StreamOrigin origin;
};

/// An exchange whose client may reconnect and resume it on another connection, as legacy revisions
/// allow. Messages are sent if the client is connected, and kept. An answer sent as JSON is not
/// kept, and has no cost from this.
///
/// Threads: the session's home worker's.
/// Source:  MCP 2025-11-25, basic/transports, "Resumability and Redelivery".
class ResumableExchange final : public Exchange, public ReplyListener {
 public:
  ResumableExchange(Loop& home, StreamPreference wish, ReplyRoute route);
  /// A dropped exchange is ended, so that no client waits forever.
  ~ResumableExchange() override;

  void send(std::string message) override { send_about(std::move(message), {}); }
  void send_about(std::string message, const Subject& subject) override;
  bool is_resumable() const override { return true; }
  void on_open(std::move_only_function<Keeping()> keeping) override;
  void pause() override;
  bool has_listener() const override { return route_.has_value(); }
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

  /// The client has reconnected. It gets `events` on its new connection, and then the rest. The old
  /// connection is closed, even if it seems alive.
  void redirect(ReplyRoute route, std::vector<ReplyEvent> events);
  /// The client was refused the rest. Nobody waits for the end any more.
  void abandon();

  void on_stream() override { open(); }
  void on_gone(std::uint64_t connection) override;

 private:
  void open();
  void listen();
  void push(ReplyEvent event);

  Loop& home_;
  StreamPreference wish_;
  std::optional<ReplyRoute> route_;
  std::move_only_function<Keeping()> keeping_;
  std::move_only_function<void()> cancelled_;
  std::shared_ptr<ResumeBuffer> events_;  ///< Set once the stream was opened and can be resumed.
  ProtocolVersion version_ = kNewestLegacyVersion;
  std::uint64_t stream_ = 0;  ///< In `events_`; 0 if the stream cannot be resumed.
  std::uint64_t connection_ =
      0;  ///< The number of the current one; the ends of older ones are ignored.
  bool is_open_ = false;
  bool is_finished_ = false;
};

/// The first event of a stream, in revisions that have it. It tells the client from where to
/// resume.
ReplyEvent priming_event(EventId id, ProtocolVersion version);

}  // namespace bartizan
