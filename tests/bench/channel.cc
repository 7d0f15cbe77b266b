#include "tests/bench/channel.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace bartizan {
namespace {

constexpr std::string_view kPeer = "127.0.0.1";
constexpr const char* kCipherSuite = "TLS_AES_128_GCM_SHA256";
// As much as one record holds.
constexpr std::size_t kRecordBytes = std::size_t{16} * 1024;

[[noreturn]] void give_up_tls(const char* what) {
  std::fprintf(stderr, "%s:\n", what);
  ERR_print_errors_fp(stderr);
  _exit(1);
}

TlsContext make_context(const SSL_METHOD* method) {
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  TlsContext context(SSL_CTX_new(method));
  if (!context) give_up_tls("a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  if (SSL_CTX_set_ciphersuites(context.get(), kCipherSuite) != 1) give_up_tls(kCipherSuite);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context.get(), 1);
  return context;
}

}  // namespace

TlsContext server_context(const std::string& certificate, const std::string& key) {
  TlsContext context = make_context(TLS_server_method());
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    give_up_tls(certificate.c_str());
  }
  SSL_CTX_set_num_tickets(context.get(), 0);
  return context;
}

TlsContext client_context(const std::string& authority) {
  TlsContext context = make_context(TLS_client_method());
  if (SSL_CTX_load_verify_file(context.get(), authority.c_str()) != 1) {
    give_up_tls(authority.c_str());
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_CTX_get0_param(context.get()), kPeer.data()) != 1) {
    give_up_tls(kPeer.data());
  }
  return context;
}

Channel::Channel(Descriptor socket, SSL_CTX* context)
    : socket_(std::move(socket)), tls_(context != nullptr ? SSL_new(context) : nullptr) {
  if (context != nullptr && (!tls_ || SSL_set_fd(tls_.get(), socket_.get()) != 1)) {
    give_up_tls("a TLS connection");
  }
}

void Channel::accept() {
  if (tls_) SSL_set_accept_state(tls_.get());
}

void Channel::connect() {
  if (!tls_) return;
  while (true) {
    ERR_clear_error();
    const int done = SSL_connect(tls_.get());
    if (done == 1) return;
    if (SSL_get_error(tls_.get(), done) != SSL_ERROR_WANT_READ) give_up_tls("the TLS handshake");
    wait();
  }
}

std::size_t Channel::send_some(std::string_view bytes) {
  if (!tls_) return bartizan::send_some(socket_, bytes);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    std::size_t part = 0;
    ERR_clear_error();
    if (SSL_write_ex(tls_.get(), bytes.data() + sent, bytes.size() - sent, &part) != 1) break;
    sent += part;
  }
  return sent;
}

Received Channel::receive_record(std::string& buffer) {
  const std::size_t before = buffer.size();
  std::size_t got = 0;
  int done = 0;
  ERR_clear_error();
  buffer.resize_and_overwrite(before + kRecordBytes, [&](char* data, std::size_t) {
    done = SSL_read_ex(tls_.get(), data + before, kRecordBytes, &got);
    return before + (done == 1 ? got : 0);
  });
  if (done == 1) return Received::some;
  const int reason = SSL_get_error(tls_.get(), done);
  const bool waits = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
  return waits ? Received::nothing_yet : Received::ended;
}

Received Channel::receive_some(std::string& buffer) {
  if (!tls_) return bartizan::receive_some(socket_, buffer);
  Received all = Received::nothing_yet;
  while (true) {
    const Received next = receive_record(buffer);
    if (next == Received::some) {
      all = next;
      continue;
    }
    // What came before an end is taken first; the end is found again.
    return all == Received::some ? all : next;
  }
}

void Channel::wait() const {
  pollfd wanted{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (poll(&wanted, 1, -1) < 0) give_up("poll");
}

}  // namespace bartizan
