#include "gateway/net/stream.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <vector>

#include "gateway/net/peer_address.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// The most pieces for one system call: a head, a body, and the framing of its parts.
constexpr std::size_t kPiecesMax = 8;

/// Up to this size, copying the pieces is cheaper than a list for the kernel.
constexpr std::size_t kCopiedMax = std::size_t{4} << 10;

/// The most output of a TLS session to a peer that does not read: alerts and key updates.
constexpr std::size_t kRepliesMax = std::size_t{16} << 10;

error_code last_error() {
  return {errno, asio::error::get_system_category()};
}

// In a process with threads, the C library's `send` and `recv` are cancellation points with extra
// work at each call. No thread is cancelled here.
ssize_t send_to_socket(int socket, const char* bytes, std::size_t size) {
  return ::syscall(SYS_sendto, socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL, nullptr, 0);
}

ssize_t receive_from_socket(int socket, std::span<char> room) {
  return ::syscall(SYS_recvfrom, socket, room.data(), room.size(), MSG_DONTWAIT, nullptr, nullptr);
}

bool is_no_error(int number) {
  return number == EAGAIN || number == EWOULDBLOCK || number == EINTR;
}

std::size_t total(std::span<const std::string_view> pieces) {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces)
    bytes += piece.size();
  return bytes;
}

/// The pieces after the bytes that were sent, as many as one call takes.
class Unsent {
 public:
  Unsent(std::span<const std::string_view> pieces, std::size_t sent) {
    for (std::string_view piece : pieces) {
      const std::size_t front = std::min(sent, piece.size());
      sent -= front;
      piece.remove_prefix(front);
      if (piece.empty() || count_ == kPiecesMax) continue;
      vectors_[count_++] = {.iov_base = const_cast<char*>(piece.data()), .iov_len = piece.size()};
      size_ += piece.size();
    }
  }

  std::size_t size() const { return size_; }

  /// The bytes that the socket took, or -1.
  ssize_t send_to(int socket) const {
    if (count_ == 1) {
      return send_to_socket(socket, static_cast<const char*>(vectors_[0].iov_base), size_);
    }
    if (size_ <= kCopiedMax) {
      std::array<char, kCopiedMax> copied;
      char* end = copied.data();
      for (const iovec& vector : vectors()) {
        end = std::copy_n(static_cast<const char*>(vector.iov_base), vector.iov_len, end);
      }
      return send_to_socket(socket, copied.data(), size_);
    }
    const msghdr message{.msg_name = nullptr,
                         .msg_namelen = 0,
                         .msg_iov = const_cast<iovec*>(vectors_.data()),
                         .msg_iovlen = count_,
                         .msg_control = nullptr,
                         .msg_controllen = 0,
                         .msg_flags = 0};
    return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

 private:
  std::span<const iovec> vectors() const { return {vectors_.data(), count_}; }

  std::array<iovec, kPiecesMax> vectors_;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

Stream::Stream(TcpSocket socket, Loop& loop, Fault peer)
    : loop_(loop), peer_fault_(peer), reading_(loop.wheel(), *this), writing_(loop.wheel(), *this) {
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (!error) name_peer(remote.address(), remote.port());
  socket.set_option(asio::ip::tcp::no_delay(true), error);
  adopt(socket.release(error));
}

Stream::Stream(UnixSocket socket, Loop& loop, Fault peer)
    : loop_(loop), peer_fault_(peer), reading_(loop.wheel(), *this), writing_(loop.wheel(), *this) {
  peer_ = unix_peer(socket.native_handle());
  peer_address_ = peer_;
  error_code error;
  adopt(socket.release(error));
}

/// From here on the poller watches the socket instead of Asio.
void Stream::adopt(int socket) {
  socket_ = socket;
  readiness_.emplace(loop_.poller(), socket_);
  if (!readiness_->is_registered()) close();
}

void Stream::Side::expire() {
  expired = true;
  stream.readiness_->wake();
}

Error Stream::failure(const error_code& error, const Side& side) const {
  if (side.expired) return {ErrorCode::timed_out, peer_fault_, "no progress before the deadline"};
  if (error == asio::error::eof || error == asio::error::connection_reset ||
      error == asio::error::broken_pipe) {
    return {ErrorCode::closed, peer_fault_, "the peer closed the connection"};
  }
  return {ErrorCode::io_failed, peer_fault_, error.message()};
}

/// Sends the output of the session.
Task<Result<void>> Stream::send_output(Milliseconds wait) {
  const std::string output = tls_->take_output();
  if (output.empty()) co_return Result<void>();
  const std::string_view bytes = output;
  is_sending_ = true;
  const Result<std::size_t> sent = send_now(std::span(&bytes, 1), 0);
  Result<void> done;
  if (!sent.has_value()) {
    done = std::unexpected(sent.error());
  } else if (*sent < bytes.size()) {
    done = co_await write_rest({bytes}, *sent, wait);
  }
  is_sending_ = false;
  if (!done.has_value()) tls_->break_off();
  co_return done;
}

/// Sends the session's replies to what it read, as far as the socket takes them now. Readers do not
/// wait for that. The rest goes with the next write.
Result<void> Stream::send_replies() {
  if (is_sending_ || tls_->output_size() == 0) return {};
  const std::string output = tls_->take_output();
  const std::string_view bytes = output;
  const Result<std::size_t> sent = send_now(std::span(&bytes, 1), 0);
  if (!sent.has_value()) return std::unexpected(sent.error());
  tls_->put_back(bytes.substr(*sent));
  if (tls_->output_size() <= kRepliesMax) return {};
  return fail(ErrorCode::io_failed, peer_fault_, "TLS: the peer asks, and takes no answers");
}

/// Waits for bytes of the peer, and passes them to the session, which must read them at once.
Task<Result<void>> Stream::feed_tls(Milliseconds wait) {
  const std::span<char> room = loop_.read_room();
  return receive_and<Room::in_use>(room, wait, [this, room](std::size_t size) {
    tls_->feed({room.data(), size});
    return Result<void>();
  });
}

std::string Stream::peer_key() const {
  return tls_ == nullptr ? std::string() : tls_->peer_key();
}

/// Reads from the socket; 0 if it has nothing now.
Result<std::size_t> Stream::receive_now(std::span<char> room) {
  if (!is_open()) return std::unexpected(failure(asio::error::bad_descriptor, reading_));
  if (reading_.expired) return std::unexpected(failure(asio::error::operation_aborted, reading_));
  if (!readiness_->may_read()) return std::size_t{0};
  const ssize_t received = receive_from_socket(socket_, room);
  if (received == 0) return std::unexpected(failure(asio::error::eof, reading_));
  // At the end of the stream no bytes can follow.
  const bool is_over = readiness_->has_ended() || !is_no_error(errno);
  if (received < 0 && is_over) {
    was_reset_ = true;
    return std::unexpected(failure(last_error(), reading_));
  }
  if (received < static_cast<ssize_t>(room.size())) {
    readiness_->set_read_out();
  } else {
    readiness_->go_on_reading();
  }
  return static_cast<std::size_t>(std::max<ssize_t>(received, 0));
}

std::span<char> Stream::shared_room(std::size_t bytes_max) const {
  const std::span<char> room = loop_.read_room();
  return room.first(std::min(bytes_max, room.size()));
}

/// Calls `take` with received bytes, once there are some. A reader of the shared buffer must use
/// them at once, before others read.
template <Stream::Room kRoom, class Take>
auto Stream::receive_and(std::span<char> room, Milliseconds wait, Take take)
    -> Task<std::invoke_result_t<Take, std::size_t>> {
  reading_.expired = false;
  Result<std::size_t> received = receive_now(room);
  if (received == std::size_t{0}) reading_.deadline.arm(wait);
  while (received == std::size_t{0}) {
    co_await readiness_->readable();
    received = receive_now(room);
  }
  reading_.deadline.cancel();
  if (!received.has_value()) co_return std::unexpected(received.error());
  auto taken = take(*received);
  if constexpr (kRoom == Room::left) co_await yield_batch(loop_);
  co_return taken;
}

Task<Result<std::size_t>> Stream::receive(std::span<char> room, Milliseconds wait) {
  assert(tls_ == nullptr);
  return receive_and<Room::in_use>(room, wait,
                                   [](std::size_t size) { return Result<std::size_t>(size); });
}

Task<Result<void>> Stream::append_some(std::string& buffer, std::size_t bytes_max,
                                       Milliseconds wait) {
  if (tls_ != nullptr) return append_decrypted(buffer, bytes_max, wait);
  const std::span<char> room = shared_room(bytes_max);
  return receive_and<Room::left>(room, wait, [&buffer, room](std::size_t size) {
    buffer.append(room.data(), size);
    return Result<void>();
  });
}

/// The socket does not show decrypted bytes, so the session is asked first.
Task<Result<void>> Stream::append_decrypted(std::string& buffer, std::size_t bytes_max,
                                            Milliseconds wait) {
  const auto latest = steady_now() + wait;
  while (true) {
    if (!is_open()) co_return std::unexpected(failure(asio::error::bad_descriptor, reading_));
    const Result<TlsSession::Step> step = tls_->decrypt(buffer, bytes_max);
    tls_->keep_unread();
    const Result<void> replied = send_replies();
    if (!step.has_value()) co_return std::unexpected(step.error());
    if (!replied.has_value()) co_return replied;
    if (*step == TlsSession::Step::done) break;
    const auto left = std::chrono::duration_cast<Milliseconds>(latest - steady_now());
    const Result<void> fed = co_await feed_tls(std::max(left, Milliseconds(1)));
    if (!fed.has_value()) co_return fed;
  }
  co_await yield_batch(loop_);
  co_return Result<void>();
}

/// Sends as much of the pieces as the socket takes, after the bytes that it already has.
Result<std::size_t> Stream::send_now(std::span<const std::string_view> pieces,
                                     std::size_t skipped) {
  if (!is_open()) return std::unexpected(failure(asio::error::bad_descriptor, writing_));
  if (writing_.expired) return std::unexpected(failure(asio::error::operation_aborted, writing_));
  if (!readiness_->may_write()) return std::size_t{0};
  const Unsent unsent(pieces, skipped);
  const ssize_t sent = unsent.send_to(socket_);
  if (sent < 0 && !is_no_error(errno)) return std::unexpected(failure(last_error(), writing_));
  if (sent < static_cast<ssize_t>(unsent.size())) readiness_->set_written_full();
  return static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
}

Task<Result<void>> Stream::write(std::span<const std::string_view> pieces, Milliseconds wait) {
  if (tls_ != nullptr) return write_encrypted({pieces.begin(), pieces.end()}, wait);
  writing_.expired = false;
  const Result<std::size_t> sent = send_now(pieces, 0);
  const bool is_over = !sent.has_value() || *sent == total(pieces);
  if (!is_over) return write_rest({pieces.begin(), pieces.end()}, *sent, wait);
  if (!sent.has_value()) return Task<Result<void>>::ready(std::unexpected(sent.error()));
  return Task<Result<void>>::ready();
}

Task<Result<void>> Stream::write_rest(std::vector<std::string_view> pieces, std::size_t written,
                                      Milliseconds wait) {
  const std::size_t size = total(pieces);
  writing_.deadline.arm(wait);
  while (written < size) {
    co_await readiness_->writable();
    const Result<std::size_t> sent = send_now(pieces, written);
    if (!sent.has_value()) {
      writing_.deadline.cancel();
      co_return std::unexpected(sent.error());
    }
    written += *sent;
  }
  writing_.deadline.cancel();
  co_return Result<void>{};
}

/// One part at a time, to bound the encrypted unsent bytes.
Task<Result<void>> Stream::write_encrypted(std::vector<std::string_view> pieces,
                                           Milliseconds wait) {
  if (!is_open()) co_return std::unexpected(failure(asio::error::bad_descriptor, writing_));
  writing_.expired = false;
  auto next = pieces.begin();
  while (next != pieces.end()) {
    std::vector<std::string_view> part;
    std::size_t left = TlsSession::kEncryptedMax;
    while (next != pieces.end() && left > 0) {
      part.push_back(next->substr(0, left));
      left -= part.back().size();
      next->remove_prefix(part.back().size());
      if (next->empty()) ++next;
    }
    const Result<void> encrypted = tls_->encrypt(part);
    if (!encrypted.has_value()) co_return encrypted;
    const Result<void> sent = co_await send_output(wait);
    if (!sent.has_value()) co_return sent;
  }
  co_return Result<void>();
}

Task<Result<void>> Stream::write(std::string_view bytes, Milliseconds wait) {
  return write(std::span(&bytes, 1), wait);
}

void Stream::watch(std::move_only_function<void()> ended) {
  if (is_open()) readiness_->on_end(std::move(ended));
}

void Stream::stop_watching() {
  if (is_open()) readiness_->on_end({});
}

std::size_t Stream::unacknowledged() const {
  int bytes = 0;
  if (!is_open() || ::ioctl(socket_, SIOCOUTQ, &bytes) != 0) return 0;
  return static_cast<std::size_t>(bytes);
}

bool Stream::is_quiet() {
  if (!is_open() || readiness_->has_ended()) return false;
  if (tls_ != nullptr && tls_->has_unread()) return false;
  // A TLS peer may send session tickets at any time; they are not data of the stream.
  if (tls_ != nullptr || !readiness_->may_read()) return true;
  char byte = 0;
  return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && is_no_error(errno);
}

void Stream::stop_waiting_to_read() {
  if (is_open() && reading_.deadline.is_armed()) reading_.expire();
}

Task<void> Stream::linger() {
  constexpr std::size_t bytes_max = std::size_t{16} << 20;
  constexpr Milliseconds wait{2000};
  if (!is_open()) co_return;
  say_end();
  ::shutdown(socket_, SHUT_WR);
  // Received bytes are dropped at once, below TLS and without a separate buffer: thousands of
  // connections may end together.
  reading_.expired = false;
  reading_.deadline.arm(wait);
  for (std::size_t dropped = 0; dropped < bytes_max;) {
    co_await readiness_->readable();
    if (!is_open() || reading_.expired) break;
    std::array<char, std::size_t{16} << 10> sink;
    const ssize_t received = ::recv(socket_, sink.data(), sink.size(), MSG_DONTWAIT);
    if (received == 0 || (received < 0 && !is_no_error(errno))) break;
    if (received < static_cast<ssize_t>(sink.size())) readiness_->set_read_out();
    dropped += static_cast<std::size_t>(std::max<ssize_t>(received, 0));
  }
  close();
}

/// Tells the peer that the stream ended normally. If the socket takes nothing now, the peer notices
/// the end itself.
void Stream::say_end() {
  if (tls_ == nullptr) return;
  tls_->say_end();
  const std::string output = tls_->take_output();
  if (!output.empty()) static_cast<void>(send_to_socket(socket_, output.data(), output.size()));
}

void Stream::close() {
  if (!is_open()) return;
  reading_.deadline.cancel();
  writing_.deadline.cancel();
  say_end();
  readiness_.reset();
  ::close(std::exchange(socket_, -1));
}

void close_stream(void* stream) {
  static_cast<Stream*>(stream)->close();
}

}  // namespace bartizan
