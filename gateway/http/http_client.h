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
  /// SHA-256 of the only public key that its certificate may have, lower-case hex; empty: of any.
  std::string certificate_key = {};
  /// Where its name may lead: anywhere, or to addresses of the Internet alone.
  enum class Addresses : std::uint8_t { any, global } addresses = Addresses::any;
  std::string authority() const;  ///< As `Host` carries it.
};

/// Splits `http://` and `https://` URLs. Errors: config_invalid for anything else, user
/// information, or a fragment.
Result<ServerUrl> parse_server_url(std::string_view url);

/// A connection to that server, over TLS where the URL says so, once its certificate is verified.
/// Errors: io_failed, timed_out, and server_failed for another key than the one that is pinned.
Task<Result<std::unique_ptr<Stream>>> connect_stream(Loop& loop, const ServerUrl& url,
                                                     std::shared_ptr<asio::ssl::context> tls,
                                                     std::chrono::milliseconds wait);

/// One connection to an HTTP server, carrying one request at a time.
///
/// Errors:  io_failed, closed, timed_out, and the http_* codes, fault server.
/// Threads: those of its loop.
class HttpClientConnection {
 public:
  explicit HttpClientConnection(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  Stream& stream() { return *stream_; }
  Task<Result<void>> send(std::string_view head, std::string_view body);
  /// The head of the answer, interim ones skipped. Valid until the next `send`.
  Task<Result<const ResponseHead*>> read_head(std::chrono::milliseconds wait);
  /// The next piece of the body; empty at its end. Valid until the next call.
  Task<Result<std::string_view>> read_body(std::chrono::milliseconds wait);
  /// How many bytes the body is said to have; 0 where the head does not say, or it is compressed.
  std::uint64_t announced() const;
  /// How many bytes of it, at most, have come behind the head already.
  std::size_t buffered() const { return buffer_.size() - consumed_; }
  /// Appends the next piece of the body to `body`. False at its end. Cost: no copy where all that
  /// is left has room there.
  Task<Result<bool>> append_body(Bytes& body, std::chrono::milliseconds wait);
  /// Whether another request may follow: the answer was read to its end and nothing else came.
  bool is_reusable() const;
  /// Whether the peer has closed, or sent what nobody asked for, while the connection lay idle.
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
  std::size_t consumed_ = 0;  ///< Of the buffer: the head, or the piece last given out.
  ResponseHead head_;
  std::string head_bytes_;
  std::optional<BodyReader> body_;
  std::size_t read_bytes_ = 0;        ///< At once, of the present answer.
  std::optional<Inflater> inflater_;  ///< Of a compressed one.
  std::uint64_t inflated_left_ = 0;   ///< What may still come of it.
};

using HttpConnectionPtr = std::shared_ptr<HttpClientConnection>;

/// Connections of one worker to one URL, kept alive between requests.
///
/// Threads: those of its loop.
class HttpClient {
 public:
  HttpClient(Loop& loop, ServerUrl url, std::shared_ptr<asio::ssl::context> tls);

  const ServerUrl& url() const { return url_; }
  const std::string& authority() const { return authority_; }
  /// A connection that lies idle, or null: most calls have one, and need not wait.
  HttpConnectionPtr take_idle();
  /// An idle connection, or a new one.
  Task<Result<HttpConnectionPtr>> connect(std::chrono::milliseconds wait);
  /// Takes a connection back, and keeps it if it can carry another request. Input: nobody else has
  /// it any more.
  void give_back(HttpConnectionPtr connection);

 private:
  Loop& loop_;
  ServerUrl url_;
  std::string authority_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::vector<HttpConnectionPtr> idle_;
};

/// A TLS context for clients: TLS 1.2 and up, peers verified against `ca_file` or the system's
/// roots. Errors: config_invalid when the file cannot be read.
Result<std::shared_ptr<asio::ssl::context>> make_client_tls(const std::string& ca_file);

}  // namespace bartizan
