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

/// A connected byte stream, TLS or plain: every layer above sees one type. Each wait has a
/// deadline, after which the operation is cancelled and answers timed_out. One coroutine may read
/// while another one writes.
///
/// Errors:  closed (the peer ended the stream), timed_out, io_failed.
/// Threads: those of its worker: one.
class Stream {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// `peer` is whose fault it is where the stream fails.
  Stream(TcpSocket socket, Loop& loop, Fault peer = Fault::client);
  Stream(UnixSocket socket, Loop& loop, Fault peer = Fault::client);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { close(); }

  /// Reads the header of the PROXY protocol with which a proxy begins each of its connections. From
  /// then on the peer is whom the header names, or the proxy itself where it names nobody. Called
  /// before `accept_tls`; not one byte behind the header is read.
  /// Errors: http_syntax (another beginning, or a header that is not served), timed_out, and closed
  ///         where the peer ends without a byte.
  Task<Result<void>> accept_proxied(Milliseconds wait);
  /// Does the TLS handshake of a server, with this certificate.
  /// Errors: also credentials_bad, where the client shows a certificate that is refused.
  Task<Result<void>> accept_tls(asio::ssl::context& context, Milliseconds wait);
  /// Does the TLS handshake of a client, and verifies that the certificate is `host`'s.
  Task<Result<void>> connect_tls(asio::ssl::context& context, std::string host, Milliseconds wait);

  /// Appends at least one byte, and at most `bytes_max`, to `buffer`, which gets room for them only
  /// once they are there: a plain stream that waits costs no buffer. The end of the stream is an
  /// error: closed.
  Task<Result<void>> append_some(std::string& buffer, std::size_t bytes_max, Milliseconds wait);
  /// Reads at least one byte of a stream without TLS, and as many as fit, into `room`. Answers how
  /// many came. The end of the stream is an error: closed.
  Task<Result<std::size_t>> receive(std::span<char> room, Milliseconds wait);
  /// Room that all streams of the loop share, for what is copied from it at once. Lifetime: until
  /// the caller waits again, or lets others read.
  std::span<char> shared_room(std::size_t bytes_max) const;
  bool is_encrypted() const { return tls_ != nullptr; }
  /// All of the pieces. Tried at once first: most answers fit the socket's buffer, and there is
  /// nothing to wait for.
  /// Lifetime: the bytes, not their list, until it returns.
  Task<Result<void>> write(std::span<const std::string_view> pieces, Milliseconds wait);
  Task<Result<void>> write(std::string_view bytes, Milliseconds wait);

  /// Calls back once when the peer has ended its side, also behind bytes that nobody has read; not
  /// at all after `stop_watching` or the stream's own end. At most one watch.
  void watch(std::move_only_function<void()> ended);
  void stop_watching();
  /// Whether nothing has come that nobody has read, the end included, as far as the loop was told.
  bool is_quiet();

  /// Whoever waits to read is told timed_out, in a turn to come. Without a waiter nothing happens.
  void stop_waiting_to_read();

  /// Ends a connection whose peer may still be sending: says that nothing more will come, and takes
  /// in what does for a moment, so that the answer is not lost to a reset. Source: RFC 9112 §9.6.
  Task<void> linger();
  void close();
  bool is_open() const { return socket_ >= 0; }
  /// Bytes that were written and that the peer's machine has not acknowledged; 0 once closed.
  /// Source: tcp(7), SIOCOUTQ.
  std::size_t unacknowledged() const;
  /// Whether reading ended since the peer broke off, and not since it ended its side in order.
  bool was_reset() const { return was_reset_; }
  /// `ip:port` of the peer, or of whom its proxy names; `uid:N` on a Unix socket.
  const std::string& peer() const { return peer_; }
  /// What connections are counted by: the peer's IPv4 address, or the /64 network of its IPv6
  /// address, which one household or machine has whole; `uid:N` on a Unix socket.
  const std::string& peer_address() const { return peer_address_; }
  /// SHA-256 of the public key of the peer's certificate, as DER has it, lower-case hex; empty
  /// without TLS, and before its handshake. Source: RFC 7469 §2.4.
  std::string peer_key() const;
  /// The certificate that the client proved to be its own in the TLS handshake, and those that lead
  /// from it to an authority, in DER, the client's first; empty where it showed none.
  const std::vector<std::string>& certificates() const { return certificates_; }
  /// Whether a listener with that context would take the certificate now.
  /// Input: a stream that has one. Errors: credentials_bad with the cause.
  Result<void> verify_certificate_by(asio::ssl::context& context) const;

 private:
  void name_peer(const asio::ip::address& address, std::uint16_t port);
  Task<Result<void>> receive_whole(std::string& bytes, std::size_t size,
                                   std::chrono::steady_clock::time_point latest);
  void adopt(int socket);
  /// One of the two directions: how long whoever waits for it does.
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
  /// Whether who was given what came has still to look into the room that it came to.
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
  std::optional<Readiness> readiness_;  ///< As long as the socket is open.
  Side reading_;
  Side writing_;
  bool was_reset_ = false;
  bool is_sending_ = false;  ///< Of what TLS encrypted, the beginning is with the socket.
  std::string peer_;
  std::string peer_address_;
  std::vector<std::string> certificates_;
};

/// What a Deadline calls to close a Stream, whatever waits for it.
void close_stream(void* stream);

}  // namespace bartizan
