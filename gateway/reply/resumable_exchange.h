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

/// When the answer to a request becomes an event stream.
enum class StreamPreference : std::uint8_t {
  never,        ///< The client takes JSON alone.
  when_needed,  ///< With the first message before the end, or when the end is late.
  at_once       ///< The client prefers a stream, or takes nothing else.
};

/// Where and as what the messages of an exchange are kept.
struct Keeping {
  std::shared_ptr<ResumeBuffer> events;
  ProtocolVersion version;
  StreamOrigin origin;
};

/// An exchange whose client may lose its connection and come back on another one, as legacy
/// revisions allow: what is sent goes to the client if it is there, and is kept. An answer that
/// leaves as JSON is not, and costs nothing of this.
///
/// Threads: the session's home worker's.
/// Source:  MCP 2025-11-25, basic/transports, "Resumability and Redelivery".
class ResumableExchange final : public Exchange, public ReplyListener {
 public:
  ResumableExchange(Loop& home, StreamPreference wish, ReplyRoute route);
  /// An exchange that was dropped is ended, so that no client waits for ever.
  ~ResumableExchange() override;

  void send(std::string message) override { send_about(std::move(message), {}); }
  void send_about(std::string message, const Subject& subject) override;
  bool is_resumable() const override { return true; }
  void on_open(std::move_only_function<Keeping()> keeping) override;
  void pause() override;
  bool has_listener() const override { return route_.has_value(); }
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

  /// The client has come back: it gets `events` on its new connection and then what follows. The
  /// old connection is cut off, however alive it looks.
  void redirect(ReplyRoute route, std::vector<ReplyEvent> events);
  /// The client was refused the rest: nobody waits for the end any more.
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
  std::shared_ptr<ResumeBuffer> events_;  ///< Once the stream was opened, and can be resumed.
  ProtocolVersion version_ = kNewestLegacyVersion;
  std::uint64_t stream_ = 0;      ///< Among `events_`; 0 where the stream cannot be resumed.
  std::uint64_t connection_ = 0;  ///< The present one, counted: an older one's end means nothing.
  bool is_open_ = false;
  bool is_finished_ = false;
};

/// The event that a stream begins with where the revision has it, and that says where a resumed
/// one goes on.
ReplyEvent priming_event(EventId id, ProtocolVersion version);

}  // namespace bartizan
