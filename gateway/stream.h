#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "gateway/asio.h"
#include "gateway/timer_wheel.h"
#include "schemas/result.h"

namespace bartizan {

/// A connected byte stream, TLS or plain: every layer above sees one type. Each wait has a
/// deadline, after which the operation is cancelled and answers timed_out.
///
/// Errors:  closed (the peer ended the stream), timed_out, io_failed.
/// Threads: those of its worker: one.
class Stream {
 public:
  using Milliseconds = std::chrono::milliseconds;

  Stream(TcpSocket socket, TimerWheel& wheel);
  Stream(UnixSocket socket, TimerWheel& wheel);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { close(); }

  /// Does the TLS handshake of a server, with this certificate.
  Task<Result<void>> accept_tls(asio::ssl::context& context, Milliseconds wait);
  /// Does the TLS handshake of a client, and verifies that the certificate is `host`'s.
  Task<Result<void>> connect_tls(asio::ssl::context& context, std::string host, Milliseconds wait);

  /// At least one byte into `buffer`. The end of the stream is an error: closed.
  Task<Result<std::size_t>> read_some(std::span<char> buffer, Milliseconds wait);
  /// Appends at least one byte, and at most `bytes_max`, to `buffer`, which gets room for them only
  /// once they are there: a plain stream that waits costs no buffer. Ends as `read_some` does.
  Task<Result<void>> append_some(std::string& buffer, std::size_t bytes_max, Milliseconds wait);
  /// All of the pieces. Tried at once first: most answers fit the socket's buffer.
  Task<Result<void>> write(std::span<const std::string_view> pieces, Milliseconds wait);
  Task<Result<void>> write(std::string_view bytes, Milliseconds wait);

  /// Calls back once when the peer has ended its side, also behind bytes that nobody has read; not
  /// at all after `stop_watching` or the stream's own end. At most one watch, and no read beside
  /// it.
  void watch(std::move_only_function<void()> ended);
  void stop_watching();
  /// What an idle stream holds, without taking it: nothing, bytes nobody has read, or its end.
  enum class Idle : std::uint8_t { quiet, data, ended };
  Idle peek_idle();

  /// Ends a connection whose peer may still be sending: says that nothing more will come, and takes
  /// in what does for a moment, so that the answer is not lost to a reset. Source: RFC 9112 §9.6.
  Task<void> linger();
  void close();
  bool is_open() const;
  /// `ip:port` of the peer; `uid:N` on a Unix socket.
  const std::string& peer() const { return peer_; }
  /// What connections are counted by: the peer's IPv4 address, or the /64 network of its IPv6
  /// address, which one household or machine has whole; `uid:N` on a Unix socket.
  const std::string& peer_address() const { return peer_address_; }

 private:
  using Tls = asio::ssl::stream<TcpSocket>;
  using Transport = std::variant<TcpSocket, UnixSocket, std::unique_ptr<Tls>>;

  template <class Visitor>
  auto with_transport(Visitor visitor);
  template <class Visitor>
  auto with_socket(Visitor visitor);
  auto readable();
  void expire();
  bool has_peer_ended();
  void look_for_end();
  Error failure(const error_code& error) const;
  Task<Result<void>> handshake(asio::ssl::stream_base::handshake_type type, Milliseconds wait);

  Transport transport_;
  Deadline deadline_;
  bool expired_ = false;
  std::shared_ptr<std::move_only_function<void()>> watch_;
  Deadline watch_again_;
  std::string peer_;
  std::string peer_address_;
};

/// What a Deadline calls to close a Stream, whatever waits for it.
void close_stream(void* stream);

}  // namespace bartizan
