#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/net/tls_session.h"
#include "gateway/runtime/asio.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/readiness.h"
#include "gateway/runtime/timer_wheel.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A connected byte stream, TLS or plain, with one type for all layers above. Each wait has a
/// deadline. After it the operation is cancelled and returns timed_out. One coroutine may read
/// while another one writes.
///
/// Errors:  closed (the peer ended the stream), timed_out, io_failed.
/// Threads: only that of its worker.
class Stream {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// `peer` is the fault of errors of the stream.
  Stream(TcpSocket socket, Loop& loop, Fault peer = Fault::client);
  Stream(UnixSocket socket, Loop& loop, Fault peer = Fault::client);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { close(); }

  /// Reads the PROXY protocol header at the start of a proxy's connection. The peer is then the
  /// client in the header, or the proxy itself if the header names none. Called before
  /// `accept_tls`. It reads no byte after the header.
  /// Errors: http_syntax (another beginning, or an unsupported header), timed_out, and closed if
  ///         the peer ends the stream without a byte.
  Task<Result<void>> accept_proxied(Milliseconds wait);
  /// Does the TLS handshake of a server, with this certificate.
  /// Errors: also credentials_bad, if the client's certificate is refused.
  Task<Result<void>> accept_tls(asio::ssl::context& context, Milliseconds wait);
  /// Does the TLS handshake of a client, and verifies that the certificate is for `host`.
  Task<Result<void>> connect_tls(asio::ssl::context& context, std::string host, Milliseconds wait);

  /// Appends at least one byte, and at most `bytes_max`, to `buffer`. It allocates memory only when
  /// bytes have arrived, so a waiting plain stream has no buffer. The end of the stream is an
  /// error: closed.
  Task<Result<void>> append_some(std::string& buffer, std::size_t bytes_max, Milliseconds wait);
  /// Reads at least one byte of a stream without TLS, and as many as fit, into `room`. Returns
  /// their number. The end of the stream is an error: closed.
  Task<Result<std::size_t>> receive(std::span<char> room, Milliseconds wait);
  /// A buffer that all streams of the loop share, for bytes that are copied at once. Lifetime:
  /// until the caller waits again, or lets others read.
  std::span<char> shared_room(std::size_t bytes_max) const;
  bool is_encrypted() const { return tls_ != nullptr; }
  /// Writes all pieces. The first attempt does not wait, as most responses fit the socket's buffer.
  /// Lifetime: the bytes, not their list, until it returns.
  Task<Result<void>> write(std::span<const std::string_view> pieces, Milliseconds wait);
  Task<Result<void>> write(std::string_view bytes, Milliseconds wait);

  /// Calls back once when the peer has ended its side, also if there are unread bytes. It does not
  /// call after `stop_watching` or the end of the stream. At most one watch.
  void watch(std::move_only_function<void()> ended);
  void stop_watching();
  /// Whether there are no unread bytes and no end, as far as the loop knows.
  bool is_quiet();

  /// Ends a wait for bytes with timed_out, in a later turn of the loop. Does nothing without a
  /// wait.
  void stop_waiting_to_read();

  /// Ends a connection whose peer may still be sending. It closes its own side, and briefly reads
  /// and drops the peer's bytes, so that a reset does not destroy the response. Source: RFC 9112
  /// §9.6.
  Task<void> linger();
  void close();
  bool is_open() const { return socket_ >= 0; }
  /// Written bytes that the peer's machine has not acknowledged; 0 once closed. Source: tcp(7),
  /// SIOCOUTQ.
  std::size_t unacknowledged() const;
  /// Whether the peer reset the connection instead of ending its side.
  bool was_reset() const { return was_reset_; }
  /// `ip:port` of the peer, or of the client that its proxy names; `uid:N` on a Unix socket.
  const std::string& peer() const { return peer_; }
  /// The key by which connections are counted: the peer's IPv4 address, or the /64 network of its
  /// IPv6 address; `uid:N` on a Unix socket. One household or machine has a whole /64.
  const std::string& peer_address() const { return peer_address_; }
  /// SHA-256 of the DER public key in the peer's certificate, in lower-case hex; empty without TLS,
  /// and before the handshake. Source: RFC 7469 §2.4.
  std::string peer_key() const;
  /// The certificate that the client proved in the TLS handshake, and the chain from it to an
  /// authority, in DER, the client's first. Empty if it had none.
  const std::vector<std::string>& certificates() const { return certificates_; }
  /// Whether a listener with that context would accept the certificate now. Input: a stream with a
  /// certificate. Errors: credentials_bad with the cause.
  Result<void> verify_certificate_by(asio::ssl::context& context) const;

 private:
  void name_peer(const asio::ip::address& address, std::uint16_t port);
  Task<Result<void>> receive_whole(std::string& bytes, std::size_t size,
                                   std::chrono::steady_clock::time_point latest);
  void adopt(int socket);
  /// One of the two directions, with the deadline of its wait.
  struct Side {
    Side(TimerWheel& wheel, Stream& of)
        : stream(of),
          deadline(wheel, [](void* self) { static_cast<Side*>(self)->expire(); }, this) {}
    void expire();

    Stream& stream;
    Deadline deadline;
    bool expired = false;
  };
  Error failure(const error_code& error, const Side& side) const;
  Result<std::size_t> receive_now(std::span<char> room);
  /// Whether the reader still uses the buffer with the received bytes.
  enum class Room : bool { left, in_use };
  template <Room kRoom, class Take>
  auto receive_and(std::span<char> room, Milliseconds wait, Take take)
      -> Task<std::invoke_result_t<Take, std::size_t>>;
  Result<std::size_t> send_now(std::span<const std::string_view> pieces, std::size_t skipped);
  Task<Result<void>> append_decrypted(std::string& buffer, std::size_t bytes_max,
                                      Milliseconds wait);
  Task<Result<void>> write_rest(std::vector<std::string_view> pieces, std::size_t written,
                                Milliseconds wait);
  Task<Result<void>> write_encrypted(std::vector<std::string_view> pieces, Milliseconds wait);
  Task<Result<void>> handshake(Milliseconds wait);
  Task<Result<void>> send_output(Milliseconds wait);
  Task<Result<void>> feed_tls(Milliseconds wait);
  Result<void> send_replies();
  void say_end();

  Loop& loop_;
  Fault peer_fault_ = Fault::client;
  int socket_ = -1;                     ///< -1 once closed.
  std::unique_ptr<TlsSession> tls_;     ///< Null on a plain stream.
  std::optional<Readiness> readiness_;  ///< While the socket is open.
  Side reading_;
  Side writing_;
  bool was_reset_ = false;
  bool is_sending_ = false;  ///< A part of the encrypted bytes is with the socket.
  std::string peer_;
  std::string peer_address_;
  std::vector<std::string> certificates_;
};

/// Closes a Stream, even during a wait. It is the callback of a Deadline.
void close_stream(void* stream);

}  // namespace bartizan
