#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The codes of a WebSocket close. Source: RFC 6455 §7.4.1.
enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  invalid_text = 1007,
  policy_violation = 1008,
  too_large = 1009,
  internal_error = 1011
};

/// Why a WebSocket must end: the code for its peer, and a sentence of the gateway.
struct WebSocketFault {
  CloseCode code;
  std::string_view why;
};

/// A complete event from a peer.
struct WebSocketEvent {
  enum class Kind : std::uint8_t { message, ping, pong, close };
  Kind kind = Kind::message;
  std::string payload = {};  ///< The text of a message, or the reason of a close.
};

/// Parses the frames of one peer. Only text messages are accepted, since MCP messages are text. A
/// message may come in fragments, with control frames between them. No extension is negotiated.
///
/// Bounded: by the largest message, whose bytes are kept only as they come.
/// Cost:    one copy of each payload.
/// Source:  RFC 6455 §5.
class WebSocketReader {
 public:
  /// The sender of the frames: a client masks them, a server does not.
  enum class Sender : std::uint8_t { client, server };

  WebSocketReader(Sender sender, std::size_t message_bytes_max)
      : sender_(sender), message_bytes_max_(message_bytes_max) {}

  /// The consumed bytes, and the event that they completed.
  struct Step {
    std::size_t consumed = 0;
    std::optional<WebSocketEvent> event = {};
  };
  /// Reads up to the end of the next event, or of the bytes.
  /// Errors: those for which RFC 6455 requires a peer to fail the connection; nothing more is read
  /// then.
  std::expected<Step, WebSocketFault> step(std::string_view bytes);
  /// Sets the bound for messages that begin from now on.
  void set_message_bytes_max(std::size_t bytes) { message_bytes_max_ = bytes; }
  /// Bytes of an incomplete message.
  std::size_t buffered() const { return message_.size(); }

 private:
  std::optional<WebSocketFault> read_head();
  std::size_t head_bytes() const;
  void take_payload(std::string_view bytes);
  std::optional<WebSocketEvent> end_frame();

  Sender sender_;
  std::size_t message_bytes_max_;
  std::string head_;  ///< Of the frame that begins.
  bool is_in_payload_ = false;
  bool is_final_ = false;
  std::uint8_t opcode_ = 0;
  std::uint64_t left_ = 0;  ///< Of the payload.
  std::uint64_t taken_ = 0;
  std::array<std::uint8_t, 4> mask_{};
  bool is_in_message_ = false;  ///< A fragment came, and the last one has not.
  std::string message_;
  std::string control_;
};

/// One frame for a whole message or a control frame. Input: `mask`, for a client's frame.
std::string write_frame(WebSocketEvent::Kind kind, std::string_view payload,
                        std::optional<std::array<std::uint8_t, 4>> mask = {});
/// A close frame with a code and a reason, which is cut to fit.
std::string write_close(CloseCode code, std::string_view why,
                        std::optional<std::array<std::uint8_t, 4>> mask = {});

/// Whether it is a valid key of a client: 16 bytes as base64. Source: RFC 6455 §4.1.
bool is_web_socket_key(std::string_view key);
/// The server's response to that key. Source: RFC 6455 §4.2.2.
std::string accept_web_socket_key(std::string_view key);

}  // namespace bartizan
