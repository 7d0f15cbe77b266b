#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "gateway/http/http_body.h"
#include "gateway/http/http_response_head.h"
#include "gateway/http/inflater.h"
#include "gateway/net/stream.h"
#include "gateway/runtime/loop.h"

namespace bartizan {

/// The parts of a server's URL.
struct ServerUrl {
  bool tls = false;
  std::string host;    ///< Without brackets.
  std::string port;    ///< Decimal.
  std::string target;  ///< `/path?query`
  /// SHA-256 of the only public key that the server's certificate may have, as lower-case hex.
  /// Empty allows any key.
  std::string certificate_key = {};
  /// The addresses that the server's name may resolve to: any, or only those of the Internet.
  enum class Addresses : std::uint8_t { any, global } addresses = Addresses::any;
  std::string authority() const;  ///< The value of `Host`.
};

/// Parses `http://` and `https://` URLs. Errors: config_invalid for other URLs, user information,
/// and fragments.
Result<ServerUrl> parse_server_url(std::string_view url);

/// Connects to that server. With TLS, the server's certificate is verified first.
/// Errors: io_failed, timed_out, and server_failed for a key other than the pinned one.
Task<Result<std::unique_ptr<Stream>>> connect_stream(Loop& loop, const ServerUrl& url,
                                                     std::shared_ptr<asio::ssl::context> tls,
                                                     std::chrono::milliseconds wait);

/// One connection to an HTTP server. It carries one request at a time.
///
/// Errors:  io_failed, closed, timed_out, and the http_* codes, fault server.
/// Threads: those of its loop.
class HttpClientConnection {
 public:
  explicit HttpClientConnection(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  Stream& stream() { return *stream_; }
  Task<Result<void>> send(std::string_view head, std::string_view body);
  /// Returns the head of the response, after any interim ones. Valid until the next `send`.
  Task<Result<const ResponseHead*>> read_head(std::chrono::milliseconds wait);
  /// Returns the next piece of the body; empty at its end. Valid until the next call.
  Task<Result<std::string_view>> read_body(std::chrono::milliseconds wait);
  /// The declared length of the body in bytes; 0 if the head does not declare it, or the body is
  /// compressed.
  std::uint64_t announced() const;
  /// The most bytes of the body that have already arrived with the head.
  std::size_t buffered() const { return buffer_.size() - consumed_; }
  /// Appends the next piece of the body to `body`. False at its end. Cost: no copy if `body` has
  /// room for the rest.
  Task<Result<bool>> append_body(Bytes& body, std::chrono::milliseconds wait);
  /// Whether another request may follow: the response was read to its end and nothing else arrived.
  bool is_reusable() const;
  /// Whether the peer has closed an idle connection, or sent data without a request.
  bool is_stale();

 private:
  Task<Result<void>> fill(std::chrono::milliseconds wait);
  Task<Result<std::string_view>> read_sent_body(std::chrono::milliseconds wait);
  Task<Result<std::string_view>> inflate_body(std::chrono::milliseconds wait);
  Task<Result<bool>> append_inflated(Bytes& body, std::chrono::milliseconds wait);
  Result<bool> take(std::string_view came, Bytes& body);
  Result<bool> take_buffered(Bytes& body);
  Task<Result<bool>> read_more_of_body(Bytes& body, std::chrono::milliseconds wait);
  Task<Result<bool>> append_in_place(Bytes& body, std::chrono::milliseconds wait);
  Result<bool> end_of_body(const Error& error) const;

  std::unique_ptr<Stream> stream_;
  std::string buffer_;
  std::size_t consumed_ = 0;  ///< Of the buffer: the head, or the piece returned last.
  ResponseHead head_;
  std::string head_bytes_;
  std::optional<BodyReader> body_;
  std::size_t read_bytes_ = 0;        ///< Bytes of one read of the current response.
  std::optional<Inflater> inflater_;  ///< For a compressed response.
  std::uint64_t inflated_left_ = 0;   ///< Bytes that may still come out of it.
};

using HttpConnectionPtr = std::shared_ptr<HttpClientConnection>;

/// The connections of one worker to one URL, kept alive between requests.
///
/// Threads: those of its loop.
class HttpClient {
 public:
  HttpClient(Loop& loop, ServerUrl url, std::shared_ptr<asio::ssl::context> tls);

  const ServerUrl& url() const { return url_; }
  const std::string& authority() const { return authority_; }
  /// An idle connection, or null. Most calls get one and do not wait.
  HttpConnectionPtr take_idle();
  /// Returns an idle connection, or a new one.
  Task<Result<HttpConnectionPtr>> connect(std::chrono::milliseconds wait);
  /// Takes a connection back, and keeps it if it can carry another request. Input: nobody else
  /// holds it.
  void give_back(HttpConnectionPtr connection);

 private:
  Loop& loop_;
  ServerUrl url_;
  std::string authority_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::vector<HttpConnectionPtr> idle_;
};

/// A TLS context for clients: TLS 1.2 and later; peers are verified against `ca_file` or the
/// system's roots. Errors: config_invalid if the file cannot be read.
Result<std::shared_ptr<asio::ssl::context>> make_client_tls(const std::string& ca_file);

}  // namespace bartizan
