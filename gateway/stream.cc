#include "gateway/stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace bartizan {
namespace {

/// How often a watched stream with unread bytes is looked at for its end.
constexpr std::chrono::milliseconds kWatchAgain{250};

std::vector<asio::const_buffer> to_buffers(std::span<const std::string_view> pieces) {
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(pieces.size());
  for (const std::string_view piece : pieces) {
    if (!piece.empty()) buffers.push_back(asio::buffer(piece));
  }
  return buffers;
}

/// Drops what was already written from the front.
void consume(std::vector<asio::const_buffer>& buffers, std::size_t written) {
  std::size_t done = 0;
  while (done < buffers.size() && written >= buffers[done].size())
    written -= buffers[done++].size();
  buffers.erase(buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(done));
  if (!buffers.empty()) buffers.front() += written;
}

/// A TLS record: more never comes at once.
constexpr std::size_t kTlsReadBytes = std::size_t{16} << 10;

/// Takes what a readable socket holds. Errors: that of the system call; eof at the end.
error_code append_received(std::string& buffer, std::size_t bytes_max, int socket) {
  const std::size_t size = buffer.size();
  ssize_t received = 0;
  int cause = 0;
  buffer.resize_and_overwrite(size + bytes_max, [&](char* data, std::size_t) {
    received = ::recv(socket, data + size, bytes_max, MSG_DONTWAIT);
    cause = errno;
    return size + static_cast<std::size_t>(std::max<ssize_t>(received, 0));
  });
  if (received > 0) return {};
  if (received == 0) return asio::error::eof;
  return {cause, asio::error::get_system_category()};
}

/// Drops what a readable socket holds; how much that was, or nothing at its end.
std::size_t drop_received(int socket) {
  std::array<char, std::size_t{16} << 10> sink;
  const ssize_t received = ::recv(socket, sink.data(), sink.size(), MSG_DONTWAIT);
  return static_cast<std::size_t>(std::max<ssize_t>(received, 0));
}

std::string network_of(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  asio::ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

std::string unix_peer(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return "uid:?";
  return "uid:" + std::to_string(credentials.uid);
}

/// Sockets of several kinds have operations of several types; as tasks they are one.
template <class... Results, class Initiation, class Arguments>
Task<std::tuple<Results...>> as_task(Operation<Initiation, Arguments, Results...> operation) {
  co_return co_await operation;
}

}  // namespace

Stream::Stream(TcpSocket socket, TimerWheel& wheel)
    : transport_(std::move(socket)),
      deadline_(
          wheel, [](void* self) { static_cast<Stream*>(self)->expire(); }, this),
      watch_again_(wheel, [](void* self) { static_cast<Stream*>(self)->look_for_end(); }, this) {
  error_code error;
  auto& tcp = std::get<TcpSocket>(transport_);
  const auto remote = tcp.remote_endpoint(error);
  if (!error) {
    peer_address_ = network_of(remote.address());
    const std::string address = remote.address().to_string();
    peer_ = remote.address().is_v6() ? "[" + address + "]" : address;
    peer_ += ":" + std::to_string(remote.port());
  }
  tcp.non_blocking(true, error);
  tcp.set_option(asio::ip::tcp::no_delay(true), error);
}

Stream::Stream(UnixSocket socket, TimerWheel& wheel)
    : transport_(std::move(socket)),
      deadline_(
          wheel, [](void* self) { static_cast<Stream*>(self)->expire(); }, this),
      watch_again_(wheel, [](void* self) { static_cast<Stream*>(self)->look_for_end(); }, this) {
  auto& local = std::get<UnixSocket>(transport_);
  peer_ = unix_peer(local.native_handle());
  peer_address_ = peer_;
  error_code error;
  local.non_blocking(true, error);
}

template <class Visitor>
auto Stream::with_transport(Visitor visitor) {
  if (auto* tls = std::get_if<std::unique_ptr<Tls>>(&transport_)) return visitor(**tls);
  if (auto* local = std::get_if<UnixSocket>(&transport_)) return visitor(*local);
  return visitor(std::get<TcpSocket>(transport_));
}

template <class Visitor>
auto Stream::with_socket(Visitor visitor) {
  if (auto* tls = std::get_if<std::unique_ptr<Tls>>(&transport_)) {
    return visitor((*tls)->next_layer());
  }
  if (auto* local = std::get_if<UnixSocket>(&transport_)) return visitor(*local);
  return visitor(std::get<TcpSocket>(transport_));
}

void Stream::expire() {
  expired_ = true;
  with_socket([](auto& socket) {
    error_code ignored;
    socket.cancel(ignored);
  });
}

Error Stream::failure(const error_code& error) const {
  if (expired_) return {ErrorCode::timed_out, Fault::client, "no progress before the deadline"};
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated ||
      error == asio::error::connection_reset || error == asio::error::broken_pipe) {
    return {ErrorCode::closed, Fault::client, "the peer closed the connection"};
  }
  return {ErrorCode::io_failed, Fault::client, error.message()};
}

Task<Result<void>> Stream::handshake(asio::ssl::stream_base::handshake_type type,
                                     Milliseconds wait) {
  expired_ = false;
  deadline_.arm(wait);
  auto& tls = *std::get<std::unique_ptr<Tls>>(transport_);
  const auto [error] = co_await tls.async_handshake(type, kAwait);
  deadline_.cancel();
  if (error) co_return std::unexpected(failure(error));
  co_return Result<void>{};
}

Task<Result<void>> Stream::accept_tls(asio::ssl::context& context, Milliseconds wait) {
  transport_ = std::make_unique<Tls>(std::move(std::get<TcpSocket>(transport_)), context);
  co_return co_await handshake(asio::ssl::stream_base::server, wait);
}

Task<Result<void>> Stream::connect_tls(asio::ssl::context& context, std::string host,
                                       Milliseconds wait) {
  auto tls = std::make_unique<Tls>(std::move(std::get<TcpSocket>(transport_)), context);
  SSL_set_tlsext_host_name(tls->native_handle(), host.c_str());
  error_code error;
  tls->set_verify_mode(asio::ssl::verify_peer, error);
  tls->set_verify_callback(asio::ssl::host_name_verification(host), error);
  transport_ = std::move(tls);
  if (error) co_return std::unexpected(failure(error));
  co_return co_await handshake(asio::ssl::stream_base::client, wait);
}

Task<Result<std::size_t>> Stream::read_some(std::span<char> buffer, Milliseconds wait) {
  expired_ = false;
  deadline_.arm(wait);
  const asio::mutable_buffer room = asio::buffer(buffer.data(), buffer.size());
  auto* tcp = std::get_if<TcpSocket>(&transport_);  // Almost all are.
  const auto [error, size] = tcp != nullptr
                                 ? co_await tcp->async_read_some(room, kAwait)
                                 : co_await with_transport([&](auto& stream) {
                                     return as_task(stream.async_read_some(room, kAwait));
                                   });
  deadline_.cancel();
  if (error) co_return std::unexpected(failure(error));
  co_return size;
}

auto Stream::readable() {
  return with_socket([](auto& socket) {
    return as_task(socket.async_wait(std::remove_reference_t<decltype(socket)>::wait_read, kAwait));
  });
}

Task<Result<void>> Stream::append_some(std::string& buffer, std::size_t bytes_max,
                                       Milliseconds wait) {
  if (std::holds_alternative<std::unique_ptr<Tls>>(transport_)) {
    // What was decrypted is not told by the socket, so TLS waits with a buffer.
    const std::size_t size = buffer.size();
    const std::size_t room = std::min(bytes_max, kTlsReadBytes);
    buffer.resize(size + room);
    const auto read = co_await read_some(std::span(buffer.data() + size, room), wait);
    buffer.resize(size + read.value_or(0));
    if (!read.has_value()) co_return std::unexpected(read.error());
    co_return Result<void>{};
  }
  expired_ = false;
  deadline_.arm(wait);
  error_code error = asio::error::would_block;
  auto* tcp = std::get_if<TcpSocket>(&transport_);  // Almost all are.
  while (error == asio::error::would_block) {
    const auto [waited] = tcp != nullptr ? co_await tcp->async_wait(TcpSocket::wait_read, kAwait)
                                         : co_await readable();
    error = waited;
    if (error) break;
    error = with_socket(
        [&](auto& socket) { return append_received(buffer, bytes_max, socket.native_handle()); });
  }
  deadline_.cancel();
  if (error) co_return std::unexpected(failure(error));
  co_return Result<void>{};
}

Task<Result<void>> Stream::write(std::span<const std::string_view> pieces, Milliseconds wait) {
  std::vector<asio::const_buffer> buffers = to_buffers(pieces);
  if (auto* tcp = std::get_if<TcpSocket>(&transport_)) {
    error_code error;
    consume(buffers, tcp->send(buffers, 0, error));
    if (error && error != asio::error::would_block) co_return std::unexpected(failure(error));
    if (buffers.empty()) co_return Result<void>{};
  }
  expired_ = false;
  deadline_.arm(wait);
  const auto [error, size] = co_await with_transport(
      [&](auto& stream) { return as_task(asio::async_write(stream, buffers, kAwait)); });
  deadline_.cancel();
  if (error) co_return std::unexpected(failure(error));
  co_return Result<void>{};
}

Task<Result<void>> Stream::write(std::string_view bytes, Milliseconds wait) {
  const std::array pieces{bytes};
  co_return co_await write(pieces, wait);
}

void Stream::watch(std::move_only_function<void()> ended) {
  watch_ = std::make_shared<std::move_only_function<void()>>(std::move(ended));
  with_socket([&](auto& socket) {
    // Weakly: the operation may complete after the watch, and the stream, have ended.
    socket.async_wait(std::remove_reference_t<decltype(socket)>::wait_read,
                      [this, watch = std::weak_ptr(watch_)](const error_code& error) {
                        const auto alive = watch.lock();
                        if (alive != nullptr && !error) look_for_end();
                      });
  });
}

void Stream::look_for_end() {
  if (watch_ == nullptr) return;
  // Unread bytes keep the socket readable, so that only looking again finds the end behind them:
  // TLS peers say farewell before they leave, and others may have sent their next request.
  if (!has_peer_ended()) return watch_again_.arm(kWatchAgain);
  const auto alive = watch_;
  (*alive)();
}

void Stream::stop_watching() {
  watch_.reset();
  watch_again_.cancel();
  with_socket([](auto& socket) {
    error_code ignored;
    socket.cancel(ignored);
  });
}

bool Stream::has_peer_ended() {
  return with_socket([](auto& socket) {
    pollfd poller{.fd = socket.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&poller, 1, 0) != 0;
  });
}

Task<void> Stream::linger() {
  constexpr std::size_t bytes_max = std::size_t{16} << 20;
  constexpr Milliseconds wait{2000};
  with_socket([](auto& socket) {
    error_code ignored;
    socket.shutdown(asio::socket_base::shutdown_send, ignored);
  });
  // What comes is dropped as it comes, below TLS and without a buffer of the connection's own:
  // thousands may be ended at once.
  expired_ = false;
  deadline_.arm(wait);
  for (std::size_t taken = 0; taken < bytes_max && is_open() && !expired_;) {
    if (std::get<0>(co_await readable())) break;
    const std::size_t dropped =
        with_socket([](auto& socket) { return drop_received(socket.native_handle()); });
    if (dropped == 0) break;
    taken += dropped;
  }
  close();
}

Stream::Idle Stream::peek_idle() {
  // A TLS peer may send session tickets at any time; they are not data of the stream.
  const bool is_tls = std::holds_alternative<std::unique_ptr<Tls>>(transport_);
  if (is_tls && has_peer_ended()) return Idle::ended;
  return with_socket([is_tls](auto& socket) {
    char byte = 0;
    const ssize_t size = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size > 0) return is_tls ? Idle::quiet : Idle::data;
    const bool quiet = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    return quiet ? Idle::quiet : Idle::ended;
  });
}

void Stream::close() {
  watch_.reset();
  watch_again_.cancel();
  deadline_.cancel();
  with_socket([](auto& socket) {
    error_code ignored;
    socket.close(ignored);
  });
}

bool Stream::is_open() const {
  if (const auto* tls = std::get_if<std::unique_ptr<Tls>>(&transport_)) {
    return (*tls)->next_layer().is_open();
  }
  if (const auto* local = std::get_if<UnixSocket>(&transport_)) return local->is_open();
  return std::get<TcpSocket>(transport_).is_open();
}

void close_stream(void* stream) {
  static_cast<Stream*>(stream)->close();
}

}  // namespace bartizan
