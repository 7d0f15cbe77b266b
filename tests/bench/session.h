// Sessions of the benchmark's clients: of Streamable HTTP, and those where one stream carries all
// that the gateway sends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/framing/web_socket_frame.h"
#include "tests/bench/call_bytes.h"
#include "tests/bench/channel.h"

namespace bartizan {

Channel open_channel(std::uint16_t port, Source source, SSL_CTX* context);

/// The answer to `request` on a connection with nothing else on its way.
std::string ask(Channel& channel, std::string_view request);

/// Opens a session of Streamable HTTP and answers its id, empty where the target has none.
std::string open_session(Channel& channel, CallShape shape);

/// Who carries the stream.
enum class Wire : std::uint8_t {
  http,       ///< Streamable HTTP: the session's own stream, by GET.
  sse,        ///< HTTP+SSE of 2024-11-05; messages are posted over a second connection.
  web_socket  ///< Both ways.
};
/// Errors: ends the program for another name than `http`, `sse` and `websocket`.
Wire wire_of(std::string_view name);

/// A session and its stream. What the target does not keep to ends the program.
class WireSession {
 public:
  /// Returns when the session is open and its stream begun.
  WireSession(Wire wire, std::uint16_t port, Source source, CallShape shape);

  const Channel& stream() const { return stream_; }
  /// Where messages are posted; null where they go over the stream, or after `drop_posts`.
  const Channel* posts() const { return posts_.has_value() ? &*posts_ : nullptr; }
  /// Closes the connection for posts. Nothing can be sent any more.
  void drop_posts() { posts_.reset(); }

  /// Sends a call, whose answer comes on the stream. Not over `http`.
  void send_call(std::uint64_t id);
  /// Takes in what arrived on the stream.
  Received take();
  /// The next message of that.
  std::optional<std::string> next();
  /// Takes in what arrived where messages are posted: whether the post is answered.
  bool take_posted();

 private:
  void send(std::string_view bytes);
  void read_head(std::string_view status);
  std::string wait_for_message();
  void tell(std::string_view message);
  std::optional<std::string> next_event();
  std::optional<std::string> next_frame();

  Wire wire_;
  CallShape shape_;
  Channel stream_;
  std::optional<Channel> posts_;
  std::string in_;         ///< What came on the stream, and was not read.
  std::string posted_in_;  ///< What came where messages are posted.
  WebSocketReader frames_;
  std::optional<CallBytes> call_;
};

}  // namespace bartizan
