// A connection of the benchmark's own programs, plain or over TLS: the same two questions for both.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "gateway/process/descriptor.h"
#include "tests/bench/sockets.h"

namespace bartizan {

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;

/// TLS 1.3 with one cipher suite, AES-128-GCM: whatever proxy stands between, both of its sides
/// encrypt the same. Errors: ends the program, with OpenSSL's reason on standard error.
/// `certificate`, `key`: PEM files of the server.
TlsContext server_context(const std::string& certificate, const std::string& key);
/// `authority`: a PEM file; the peer must have a certificate of its for 127.0.0.1.
TlsContext client_context(const std::string& authority);

/// A non-blocking connection. Without a TLS context it is the socket itself.
class Channel {
 public:
  /// Lifetime: `context`, where there is one, until the channel's end.
  Channel(Descriptor socket, SSL_CTX* context);

  int number() const { return socket_.get(); }
  /// The server's handshake is made by what is received.
  void accept();
  /// The client's; waits for its end. Errors: ends the program.
  void connect();
  /// What could be sent at once, in bytes. A peer that is gone counts as nothing sent. What was not
  /// sent has to be at the front of the next attempt.
  std::size_t send_some(std::string_view bytes);
  /// Appends what has arrived to `buffer`: over TLS all of it, since nothing wakes for the rest.
  Received receive_some(std::string& buffer);
  /// Waits until something has arrived.
  void wait() const;

 private:
  Received receive_record(std::string& buffer);

  Descriptor socket_;
  std::unique_ptr<SSL, FreeTls> tls_;
};

}  // namespace bartizan
