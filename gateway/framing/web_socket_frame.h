#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Codes with which a WebSocket is closed. Source: RFC 6455 §7.4.1.
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

/// Why a WebSocket cannot go on: the code that its peer is told, and a sentence of ours.
struct WebSocketFault {
  CloseCode code;
  std::string_view why;
};

/// What a peer sent, as a whole.
struct WebSocketEvent {
  enum class Kind : std::uint8_t { message, ping, pong, close };
  Kind kind = Kind::message;
  std::string payload = {};  ///< Of a message, its text; of a close, its reason.
};

/// Reads the frames of one peer. Text alone is a message of MCP; a message may come in fragments,
/// with control frames between them. No extension is ever agreed on.
///
/// Bounded: by the largest message, whose bytes are kept only as they come.
/// Cost:    one copy of each payload.
/// Source:  RFC 6455 §5.
class WebSocketReader {
 public:
  /// Who sends: a client masks what it sends, a server does not.
  enum class Sender : std::uint8_t { client, server };

  WebSocketReader(Sender sender, std::size_t message_bytes_max)
      : sender_(sender), message_bytes_max_(message_bytes_max) {}

  /// How far it came, and what was complete there.
  struct Step {
    std::size_t consumed = 0;
    std::optional<WebSocketEvent> event = {};
  };
  /// Reads up to the end of the next event, or of the bytes.
  /// Errors: what RFC 6455 has a peer fail the connection for; then nothing more is read.
  std::expected<Step, WebSocketFault> step(std::string_view bytes);
  /// The bound of messages that begin from now on.
  void set_message_bytes_max(std::size_t bytes) { message_bytes_max_ = bytes; }
  /// Bytes of a message whose end has not come.
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

/// One frame that is a message or a control frame of its own. Input: `mask`, of a client's.
std::string write_frame(WebSocketEvent::Kind kind, std::string_view payload,
                        std::optional<std::array<std::uint8_t, 4>> mask = {});
/// A close frame with its code and a reason, which is cut to what fits.
std::string write_close(CloseCode code, std::string_view why,
                        std::optional<std::array<std::uint8_t, 4>> mask = {});

/// Whether it is a key that a client may begin with: 16 bytes as base64. Source: RFC 6455 §4.1.
bool is_web_socket_key(std::string_view key);
/// What a server answers to that key. Source: RFC 6455 §4.2.2.
std::string accept_web_socket_key(std::string_view key);

}  // namespace bartizan
