#include "gateway/http/http_client.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "config/parse_host_port.h"
#include "gateway/runtime/clock.h"
#include "policy/url/address_class.h"
#include "policy/url/address_range.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
/// For an event stream: all messages of one read wait for their client at once.
constexpr std::size_t kStreamReadBytes = std::size_t{16} << 10;
/// The most bytes to which a byte of a compressed event stream may expand, on average. Such a
/// stream has no end that could bound it. Texts expand 10 or 20 times, and bombs up to 1000 times.
constexpr std::uint64_t kExpansionMax = 100;
/// The most heads with a status below 200 before the final one.
constexpr int kInterimHeadsMax = 8;
/// The most addresses of one name that are tried, all within one deadline.
constexpr int kAddressesMax = 8;

bool is_global(const asio::ip::address& address) {
  const auto read = read_address(address.to_string());
  return read.has_value() && address_class(*read) == AddressClass::global;
}

}  // namespace

std::string ServerUrl::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const bool usual = port == (tls ? "443" : "80");
  return usual ? name : name + ":" + port;
}

Result<ServerUrl> parse_server_url(std::string_view url) {
  const auto refuse = [](std::string detail) {
    return fail(ErrorCode::config_invalid, Fault::client, std::move(detail));
  };
  ServerUrl parsed;
  if (url.starts_with("https://")) {
    parsed.tls = true;
  } else if (!url.starts_with("http://")) {
    return refuse("a server's URL begins with http:// or https://");
  }
  url.remove_prefix(parsed.tls ? 8 : 7);
  if (url.find('#') != std::string_view::npos) return refuse("a server's URL has no fragment");
  const std::size_t path = std::min(url.find_first_of("/?"), url.size());
  const std::string_view authority = url.substr(0, path);
  if (!is_host(authority)) return refuse("the URL's host is not a name or an address");
  parsed.target = path == url.size() || url[path] == '?' ? "/" : "";
  parsed.target += url.substr(path);
  // The configuration refuses these too; here they would end the request line.
  const bool is_clean = std::all_of(parsed.target.begin(), parsed.target.end(),
                                    [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_clean) return refuse("the URL holds a character that must be percent-encoded");
  const std::size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && authority.find(']', colon) == authority.npos;
  parsed.host = authority.substr(0, has_port ? colon : authority.size());
  parsed.port = has_port ? std::string(authority.substr(colon + 1)) : (parsed.tls ? "443" : "80");
  if (parsed.host.starts_with('[')) parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  return parsed;
}

Task<Result<void>> HttpClientConnection::send(std::string_view head, std::string_view body) {
  buffer_.clear();
  consumed_ = 0;
  body_.reset();
  read_bytes_ = kStreamReadBytes;
  const std::array pieces{head, body};
  return stream_->write(pieces, limits::write_deadline);
}

Task<Result<void>> HttpClientConnection::fill(std::chrono::milliseconds wait) {
  return stream_->append_some(buffer_, read_bytes_, wait);
}

Task<Result<const ResponseHead*>> HttpClientConnection::read_head(std::chrono::milliseconds wait) {
  std::size_t searched = 0;
  int interim = 0;
  while (true) {
    const Result<std::size_t> size = find_head_end(buffer_, searched, Fault::server);
    if (!size.has_value()) co_return std::unexpected(size.error());
    if (*size == 0) {
      searched = buffer_.size();
      const Result<void> filled = co_await fill(wait);
      if (!filled.has_value()) co_return std::unexpected(filled.error());
      continue;
    }
    head_bytes_.assign(buffer_, 0, *size);
    searched = 0;
    const Result<void> read = head_.read(head_bytes_, HttpMethod::post);
    if (!read.has_value()) co_return std::unexpected(read.error());
    if (head_.status() == 101) {
      co_return fail(ErrorCode::http_syntax, Fault::server, "a change of protocol");
    }
    if (head_.is_interim() && ++interim > kInterimHeadsMax) {
      co_return fail(ErrorCode::http_limit, Fault::server, "too many interim heads");
    }
    if (head_.is_interim()) {
      buffer_.erase(0, *size);
      continue;
    }
    consumed_ = *size;
    // An event stream has no end that could bound it; each event is bounded instead.
    const bool streams = head_.has_media_type("text/event-stream");
    read_bytes_ = streams ? kStreamReadBytes : kReadBytes;
    body_.emplace(BodyLength{head_.framing(), head_.content_length()},
                  streams ? std::numeric_limits<std::uint64_t>::max() : limits::response_bytes_max,
                  Fault::server);
    // The expanded size is bounded as well.
    inflated_left_ = limits::response_bytes_max;
    inflater_.reset();
    if (head_.is_gzipped()) inflater_.emplace();
    co_return &head_;
  }
}

Task<Result<std::string_view>> HttpClientConnection::read_body(std::chrono::milliseconds wait) {
  return inflater_.has_value() ? inflate_body(wait) : read_sent_body(wait);
}

Task<Result<std::string_view>> HttpClientConnection::inflate_body(std::chrono::milliseconds wait) {
  while (true) {
    const Result<std::string_view> piece = inflater_->step();
    if (!piece.has_value()) co_return piece;
    if (piece->size() > inflated_left_) {
      co_return fail(ErrorCode::http_limit, Fault::server, "the body expands to too much");
    }
    inflated_left_ -= piece->size();
    if (!piece->empty()) co_return piece;
    const Result<std::string_view> sent = co_await read_sent_body(wait);
    if (!sent.has_value()) co_return sent;
    if (sent->empty() && inflater_->is_done()) co_return std::string_view();
    if (sent->empty()) {
      co_return fail(ErrorCode::http_framing, Fault::server, "a compressed body is cut short");
    }
    inflater_->give(*sent);
    if (head_.has_media_type("text/event-stream")) {
      inflated_left_ = std::min<std::uint64_t>(inflated_left_ + kExpansionMax * sent->size(),
                                               limits::response_bytes_max);
    }
  }
}

Task<Result<bool>> HttpClientConnection::append_inflated(Bytes& body,
                                                         std::chrono::milliseconds wait) {
  const Result<std::string_view> piece = co_await inflate_body(wait);
  if (!piece.has_value()) co_return std::unexpected(piece.error());
  body.append(*piece);
  co_return !piece->empty();
}

Task<Result<std::string_view>> HttpClientConnection::read_sent_body(
    std::chrono::milliseconds wait) {
  buffer_.erase(0, std::exchange(consumed_, 0));
  while (!body_->is_done()) {
    if (buffer_.empty()) {
      const Result<void> filled = co_await fill(wait);
      if (!filled.has_value()) {
        const Result<bool> is_over = end_of_body(filled.error());
        if (!is_over.has_value()) co_return std::unexpected(is_over.error());
        co_return std::string_view();
      }
    }
    const Result<BodyStep> step = body_->step(buffer_);
    if (!step.has_value()) co_return std::unexpected(step.error());
    if (!step->data.empty()) {
      consumed_ = step->consumed;
      co_return step->data;
    }
    buffer_.erase(0, step->consumed);
  }
  co_return std::string_view();
}

std::uint64_t HttpClientConnection::announced() const {
  const bool says = head_.framing() == BodyFraming::content_length && !inflater_.has_value();
  return says ? head_.content_length() : 0;
}

/// Appends the bytes that belong to the body; the rest stays in the buffer.
Result<bool> HttpClientConnection::take(std::string_view came, Bytes& body) {
  const Result<std::string_view> rest = body_->take(came, body);
  if (!rest.has_value()) return std::unexpected(rest.error());
  buffer_ = *rest;
  consumed_ = 0;
  return true;
}

Result<bool> HttpClientConnection::take_buffered(Bytes& body) {
  const std::string came = std::exchange(buffer_, {});
  return take(std::string_view(came).substr(consumed_), body);
}

/// Decides whether a body ended or was cut short when a read ended with this error.
Result<bool> HttpClientConnection::end_of_body(const Error& error) const {
  if (error.code == ErrorCode::closed && body_->close().has_value()) return false;
  return std::unexpected(error);
}

Task<Result<bool>> HttpClientConnection::append_body(Bytes& body, std::chrono::milliseconds wait) {
  if (inflater_.has_value()) return append_inflated(body, wait);
  if (body_->is_done()) return Task<Result<bool>>::ready(false);
  if (buffered() > 0) return Task<Result<bool>>::ready(take_buffered(body));
  return read_more_of_body(body, wait);
}

Task<Result<bool>> HttpClientConnection::read_more_of_body(Bytes& body,
                                                           std::chrono::milliseconds wait) {
  if (stream_->is_encrypted()) {
    // An encrypted stream cannot be read in place.
    const Result<void> filled = co_await fill(wait);
    if (!filled.has_value()) co_return end_of_body(filled.error());
    co_return take_buffered(body);
  }
  if (body_->left() > 0 && body_->left() < body.spare()) {
    co_return co_await append_in_place(body, wait);
  }
  const std::span<char> room = stream_->shared_room(read_bytes_);
  const Result<std::size_t> came = co_await stream_->receive(room, wait);
  if (!came.has_value()) co_return end_of_body(came.error());
  co_return take({room.data(), *came}, body);
}

/// Reads the rest of the body and one more byte, which shows whether the server sends more than it
/// announced.
Task<Result<bool>> HttpClientConnection::append_in_place(Bytes& body,
                                                         std::chrono::milliseconds wait) {
  const std::size_t size = body.size();
  const std::span<char> room = body.extend(std::min<std::uint64_t>(body_->left(), read_bytes_) + 1);
  const Result<std::size_t> came = co_await stream_->receive(room, wait);
  body.truncate(size + came.value_or(0));
  if (!came.has_value()) co_return end_of_body(came.error());
  const Result<BodyStep> read = body_->step(body.view().substr(size));
  if (!read.has_value()) co_return std::unexpected(read.error());
  buffer_ = body.view().substr(size + read->consumed);
  consumed_ = 0;
  body.truncate(size + read->consumed);
  co_return true;
}

bool HttpClientConnection::is_reusable() const {
  return body_.has_value() && body_->is_done() && head_.keeps_alive() && buffered() == 0 &&
         stream_->is_open();
}

bool HttpClientConnection::is_stale() {
  return !stream_->is_quiet();
}

HttpClient::HttpClient(Loop& loop, ServerUrl url, std::shared_ptr<asio::ssl::context> tls)
    : loop_(loop), url_(std::move(url)), authority_(url_.authority()), tls_(std::move(tls)) {}

HttpConnectionPtr HttpClient::take_idle() {
  while (!idle_.empty()) {
    HttpConnectionPtr connection = std::move(idle_.back());
    idle_.pop_back();
    if (!connection->is_stale()) return connection;
  }
  return nullptr;
}

Task<Result<std::unique_ptr<Stream>>> connect_stream(Loop& loop, const ServerUrl& url,
                                                     std::shared_ptr<asio::ssl::context> tls,
                                                     std::chrono::milliseconds wait) {
  Resolver resolver(loop.executor());
  Deadline deadline(
      loop.wheel(), [](void* self) { static_cast<Resolver*>(self)->cancel(); }, &resolver);
  const auto end = steady_now() + wait;
  const auto left = [end] {
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_now());
    return std::max(time, std::chrono::milliseconds(1));
  };
  deadline.arm(wait);
  const auto [resolve_error, addresses] =
      co_await resolver.async_resolve(url.host, url.port, kAwait);
  deadline.cancel();
  if (resolve_error) {
    co_return fail(ErrorCode::io_failed, Fault::server, "the server's host name does not resolve");
  }
  bool is_kept_out = false;
  int tried = 0;
  for (const auto& entry : addresses) {
    // The connection goes to the checked address, so a second lookup cannot lead elsewhere.
    if (url.addresses == ServerUrl::Addresses::global && !is_global(entry.endpoint().address())) {
      is_kept_out = true;
      continue;
    }
    if (++tried > kAddressesMax || steady_now() >= end) break;
    TcpSocket socket(loop.executor());
    Deadline connect_deadline(
        loop.wheel(), [](void* self) { static_cast<TcpSocket*>(self)->close(); }, &socket);
    connect_deadline.arm(left());
    const auto [error] = co_await socket.async_connect(entry.endpoint(), kAwait);
    connect_deadline.cancel();
    if (error) continue;
    auto stream = std::make_unique<Stream>(std::move(socket), loop, Fault::server);
    if (url.tls) {
      const Result<void> secured = co_await stream->connect_tls(*tls, url.host, left());
      if (!secured.has_value()) co_return std::unexpected(secured.error());
      // Nothing was sent yet, so a server with another key gets no credential.
      if (!url.certificate_key.empty() && stream->peer_key() != url.certificate_key) {
        co_return fail(ErrorCode::server_failed, Fault::server,
                       "the key of the server's certificate is not the one that is pinned");
      }
    }
    co_return stream;
  }
  if (is_kept_out) {
    co_return fail(
        ErrorCode::io_failed, Fault::server,
        "the name leads to an address that is not of the Internet: see private_networks");
  }
  const std::string host = url.host.contains(':') ? "[" + url.host + "]" : url.host;
  co_return fail(ErrorCode::io_failed, Fault::server,
                 "the server does not accept connections at " + host + ":" + url.port);
}

Task<Result<HttpConnectionPtr>> HttpClient::connect(std::chrono::milliseconds wait) {
  if (auto idle = take_idle()) co_return idle;
  auto stream = co_await connect_stream(loop_, url_, tls_, wait);
  if (!stream.has_value()) co_return std::unexpected(stream.error());
  co_return std::make_shared<HttpClientConnection>(*std::move(stream));
}

void HttpClient::give_back(HttpConnectionPtr connection) {
  if (idle_.size() >= limits::upstream_idle_connections_max || !connection->is_reusable()) return;
  idle_.push_back(std::move(connection));
}

Result<std::shared_ptr<asio::ssl::context>> make_client_tls(const std::string& ca_file) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  error_code error;
  if (ca_file.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(ca_file, error);
  }
  if (error) {
    return fail(ErrorCode::config_invalid, Fault::client,
                "the certificates in \"" + ca_file + "\" cannot be read: " + error.message());
  }
  return context;
}

}  // namespace bartizan
