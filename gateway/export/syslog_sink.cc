// Syslog, RFC 5424: over TLS (RFC 5425), TCP (RFC 6587), UDP (RFC 5426) and Unix sockets.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "config/export_place.h"
#include "gateway/export/host_name.h"
#include "gateway/export/sink.h"
#include "gateway/http/http_client.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

using Wire = ExportPlace::Wire;

/// The records sent again: a receiver that crashes may have acknowledged messages that it never
/// handled.
constexpr std::size_t kTail = 256;
constexpr std::size_t kTailBytes = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kAcknowledgedPause{5};
constexpr std::chrono::milliseconds kFullPause{20};
/// The size that fits a UDP datagram, and one of a Unix socket with the kernel's usual buffers.
constexpr std::size_t kDatagramMax = 60'000;

Delivery failed(std::string why) {
  return {.kind = Delivery::Kind::failed, .why = std::move(why)};
}

/// One message, without its framing.
std::string message_of(const RecordOrigin& origin, const ExportedRecord& record,
                       ExportConfig::Format format, const std::string& host) {
  std::string message;
  append_syslog_head(message, origin, record, host, static_cast<std::uint32_t>(::getpid()));
  if (format == ExportConfig::Format::cef) {
    append_cef(message, origin, record);
  } else {
    append_json_record(message, origin, record);
  }
  return message;
}

/// A message after its length. Source: RFC 6587 §3.4.1, RFC 5425 §4.3.
std::string framed(const std::string& message) {
  return std::to_string(message.size()) + ' ' + message;
}

std::string head_message(const RecordOrigin& origin, std::string_view jws,
                         const std::string& host) {
  return "<110>1 - " + (host.empty() ? "-" : host) + " bartizan " + std::to_string(::getpid()) +
         " signed_head [bartizan@32473 chain=\"" + origin.chain + "\"] " + std::string(jws);
}

/// Syslog over a connection. Written bytes are acknowledged by the receiver's host, not by the
/// receiver, so the last messages are sent again on the next connection.
class SyslogStreamSink : public Sink {
 public:
  SyslogStreamSink(Loop& loop, const ExportConfig& config, ServerUrl url,
                   std::shared_ptr<asio::ssl::context> tls)
      : loop_(loop), format_(config.format), url_(std::move(url)), tls_(std::move(tls)) {}

  Task<Delivery> send(const RecordOrigin& origin,
                      std::span<const ExportedRecord> records) override {
    std::string bytes;
    std::vector<std::string> messages;
    messages.reserve(records.size());
    for (const ExportedRecord& record : records) {
      messages.push_back(framed(message_of(origin, record, format_, host_)));
      bytes += messages.back();
    }
    Delivery delivery = co_await write(bytes);
    if (delivery.kind == Delivery::Kind::taken) remember(std::move(messages));
    co_return delivery;
  }

  Task<Delivery> send_head(const RecordOrigin& origin, std::string_view jws) override {
    co_return co_await write(framed(head_message(origin, jws, host_)));
  }

  std::size_t tail() const override { return kTail; }

 private:
  Task<Delivery> write(const std::string& bytes) {
    const auto end = steady_now() + limits::export_deadline;
    if (stream_ != nullptr && !stream_->is_quiet()) stream_ = nullptr;
    std::string again;
    if (stream_ == nullptr) {
      auto stream = co_await connect_stream(loop_, url_, tls_, limits::export_deadline);
      if (!stream.has_value()) co_return failed(stream.error().detail);
      stream_ = *std::move(stream);
      for (const std::string& message : tail_)
        again += message;
    }
    const std::string whole = again + bytes;
    const Result<void> written = co_await stream_->write(whole, limits::export_deadline);
    if (!written.has_value()) {
      stream_ = nullptr;
      co_return failed(written.error().detail);
    }
    Signal pause(loop_);
    while (stream_->unacknowledged() > 0) {
      if (steady_now() >= end || !stream_->is_quiet()) {
        stream_ = nullptr;
        co_return failed("the receiver's machine does not acknowledge what it is sent");
      }
      co_await pause.wait(kAcknowledgedPause);
    }
    co_return Delivery{};
  }

  void remember(std::vector<std::string> messages) {
    for (std::string& message : messages) {
      tail_bytes_ += message.size();
      tail_.push_back(std::move(message));
    }
    while (tail_.size() > kTail || (tail_bytes_ > kTailBytes && !tail_.empty())) {
      tail_bytes_ -= tail_.front().size();
      tail_.pop_front();
    }
  }

  Loop& loop_;
  ExportConfig::Format format_;
  ServerUrl url_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::string host_ = host_name();
  std::unique_ptr<Stream> stream_;
  std::deque<std::string> tail_;
  std::size_t tail_bytes_ = 0;
};

/// Syslog over datagrams: one message each, without acknowledgement.
class SyslogDatagramSink : public Sink {
 public:
  SyslogDatagramSink(Loop& loop, const ExportConfig& config, ExportPlace place)
      : loop_(loop), format_(config.format), place_(std::move(place)) {}

  Task<Delivery> send(const RecordOrigin& origin,
                      std::span<const ExportedRecord> records) override {
    if (std::string why = co_await open(); !why.empty()) co_return failed(std::move(why));
    const auto end = steady_now() + limits::export_deadline;
    const bool is_same = records.front().hash == begun_hash_;
    const std::size_t sent = is_same ? std::min(begun_sent_, records.size()) : 0;
    begun_hash_ = records.front().hash;
    begun_sent_ = sent;
    for (const ExportedRecord& record : records.subspan(sent)) {
      std::string message = message_of(origin, record, format_, host_);
      std::string why = co_await send_one(std::move(message), end);
      if (!why.empty()) co_return failed(std::move(why));
      ++begun_sent_;
    }
    begun_hash_.clear();
    co_return Delivery{};
  }

  Task<Delivery> send_head(const RecordOrigin& origin, std::string_view jws) override {
    if (std::string why = co_await open(); !why.empty()) co_return failed(std::move(why));
    std::string why =
        co_await send_one(head_message(origin, jws, host_), steady_now() + limits::export_deadline);
    if (!why.empty()) co_return failed(std::move(why));
    co_return Delivery{};
  }

 private:
  /// Why there is no socket; empty on success.
  Task<std::string> open() {
    if (socket_.get() >= 0) co_return "";
    if (place_.wire == Wire::unix_socket) co_return open_unix();
    Resolver resolver(loop_.executor());
    Deadline deadline(
        loop_.wheel(), [](void* self) { static_cast<Resolver*>(self)->cancel(); }, &resolver);
    deadline.arm(limits::export_deadline);
    const auto [error, addresses] =
        co_await resolver.async_resolve(place_.host, std::to_string(unsigned{place_.port}), kAwait);
    deadline.cancel();
    if (error || addresses.empty()) co_return "the receiver's host name does not resolve";
    const auto endpoint = addresses.begin()->endpoint();
    Descriptor socket(::socket(endpoint.data()->sa_family,
                               SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP));
    const bool is_open =
        socket.get() >= 0 &&
        ::connect(socket.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0;
    if (!is_open) co_return std::string("no socket for UDP: ") + std::strerror(errno);
    socket_ = std::move(socket);
    co_return "";
  }

  /// Opens a datagram socket, as `/dev/log` is; a stream if the path has one.
  std::string open_unix() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    place_.path.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
    for (const int type : {SOCK_DGRAM, SOCK_STREAM}) {
      Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (socket.get() < 0) break;
      if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
          0) {
        is_stream_ = type == SOCK_STREAM;
        socket_ = std::move(socket);
        return "";
      }
      if (errno != EPROTOTYPE) break;
    }
    return place_.path + ": " + std::strerror(errno);
  }

  Task<std::string> send_one(std::string message, std::chrono::steady_clock::time_point end) {
    if (!is_stream_ && message.size() > kDatagramMax) message.resize(kDatagramMax);
    if (is_stream_) message += '\n';
    std::string_view rest = message;
    Signal pause(loop_);
    bool was_refused = false;
    while (!rest.empty()) {
      const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        rest.remove_prefix(is_stream_ ? static_cast<std::size_t>(sent) : rest.size());
        continue;
      }
      const int error = errno;
      if (error == EINTR) continue;
      // With UDP this is the response to an earlier message; this one may succeed.
      if (error == ECONNREFUSED && place_.wire == Wire::udp && !std::exchange(was_refused, true))
        continue;
      const bool is_full = error == EAGAIN || error == ENOBUFS;
      if (!is_full || steady_now() >= end) {
        // A receiver that is gone may have read none of the sent messages.
        if (!is_full) begun_hash_.clear();
        socket_ = Descriptor();
        co_return std::string("the receiver takes nothing: ") + std::strerror(error);
      }
      co_await pause.wait(kFullPause);
    }
    co_return "";
  }

  Loop& loop_;
  ExportConfig::Format format_;
  ExportPlace place_;
  std::string host_ = host_name();
  Descriptor socket_;
  bool is_stream_ = false;
  // For records that could not all be sent: the hash of the first one, and the number sent. They
  // are sent again.
  std::string begun_hash_;
  std::size_t begun_sent_ = 0;
};

}  // namespace

Result<std::unique_ptr<Sink>> open_syslog_sink(Loop& loop, const ExportConfig& config) {
  auto place = parse_export_place(config.url);
  if (!place)
    return fail(ErrorCode::config_invalid, Fault::gateway, "\"url\" is not a place of syslog");
  if (place->wire == Wire::udp || place->wire == Wire::unix_socket)
    return std::make_unique<SyslogDatagramSink>(loop, config, *std::move(place));
  auto tls = make_client_tls(config.ca_file);
  if (!tls.has_value()) return std::unexpected(tls.error());
  ServerUrl url{.tls = place->wire == Wire::tls,
                .host = place->host,
                .port = std::to_string(unsigned{place->port})};
  return std::make_unique<SyslogStreamSink>(loop, config, std::move(url), *std::move(tls));
}

}  // namespace bartizan
