#include "gateway/net/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "gateway/runtime/asio.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

/// Plain bytes of one record. Source: RFC 8446 §5.1.
constexpr std::size_t kRecordMax = std::size_t{16} << 10;
/// Bytes of a record besides its plain bytes: its header, the type, the tag, and, in TLS 1.2, a
/// nonce or padding. Source: RFC 8446 §5.2, RFC 5246 §6.2.3.
constexpr std::size_t kRecordBeside = 64;

std::string_view text(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string refused_certificate(long verified) {
  std::string why = "the certificate is refused: ";
  return why += text(X509_verify_cert_error_string(verified));
}

struct FreeChain {
  void operator()(X509_STORE_CTX* chain) const { X509_STORE_CTX_free(chain); }
};

std::string der_of(X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate, &der);
  if (size <= 0) return {};
  std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

}  // namespace

/// The I/O of OpenSSL: the session's own buffers.
struct TlsSession::Method {
  static TlsSession& self(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* room, int size) {
    BIO_clear_retry_flags(bio);
    std::string_view& input = self(bio).input_;
    const std::size_t taken = std::min(input.size(), static_cast<std::size_t>(std::max(size, 0)));
    if (taken == 0) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::memcpy(room, input.data(), taken);
    input.remove_prefix(taken);
    return static_cast<int>(taken);
  }
  static int write(BIO* bio, const char* bytes, int size) {
    BIO_clear_retry_flags(bio);
    self(bio).output_.append(bytes, static_cast<std::size_t>(std::max(size, 0)));
    return size;
  }
  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }
  static int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  /// Created with the first session; immutable.
  static BIO_METHOD* get() {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session");
      BIO_meth_set_read(made, read);
      BIO_meth_set_write(made, write);
      BIO_meth_set_ctrl(made, control);
      BIO_meth_set_create(made, create);
      return made;
    }();
    return method;
  }
};

TlsSession::TlsSession(SSL_CTX* context, Side side, Fault fault)
    : session_(SSL_new(context)), fault_(fault) {
  if (session_ == nullptr) return;
  BIO* const bytes = BIO_new(Method::get());
  BIO_set_data(bytes, this);
  SSL_set_bio(session_.get(), bytes, bytes);
  SSL_set_mode(session_.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_set_options(session_.get(), SSL_OP_NO_RENEGOTIATION);
  if (side == Side::server) {
    SSL_set_accept_state(session_.get());
  } else {
    SSL_set_connect_state(session_.get());
  }
}

TlsSession::~TlsSession() = default;

bool TlsSession::expect_host(const std::string& host) {
  if (session_ == nullptr) return false;
  SSL_set_verify(session_.get(), SSL_VERIFY_PEER, nullptr);
  // A certificate has an address in a field of its own, and SNI has no addresses. Source: RFC 6066
  // §3.
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), host.c_str()) == 1) return true;
  ERR_clear_error();
  SSL_set_hostflags(session_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(session_.get(), host.c_str()) == 1 &&
         SSL_set_tlsext_host_name(session_.get(), host.c_str()) == 1;
}

Result<TlsSession::Step> TlsSession::judge(int result) {
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_NONE:
      return Step::done;
    case SSL_ERROR_WANT_READ:
      return Step::needs_input;
    case SSL_ERROR_ZERO_RETURN:
      return fail(ErrorCode::closed, fault_, "the peer closed the connection");
    default:
      break;
  }
  is_broken_ = true;
  const long verified = SSL_get_verify_result(session_.get());
  const unsigned long number = ERR_get_error();
  std::string why(text(ERR_reason_error_string(number)));
  if (verified != X509_V_OK) {
    why = refused_certificate(verified);
    if (SSL_is_server(session_.get()) == 1) {
      return fail(ErrorCode::credentials_bad, fault_, std::move(why));
    }
  }
  if (why.empty()) why = "it broke off";
  return fail(ErrorCode::io_failed, fault_, "TLS: " + why);
}

Result<TlsSession::Step> TlsSession::handshake() {
  if (session_ == nullptr) return fail(ErrorCode::overloaded, Fault::gateway, "no memory for TLS");
  ERR_clear_error();
  return judge(SSL_do_handshake(session_.get()));
}

void TlsSession::feed(std::string_view encrypted) {
  if (input_.empty()) {
    input_ = encrypted;
    return;
  }
  keep_unread();
  unread_.append(encrypted);
  input_ = unread_;
}

void TlsSession::keep_unread() {
  std::string kept(input_);
  unread_ = std::move(kept);
  input_ = unread_;
}

Result<TlsSession::Step> TlsSession::decrypt(std::string& buffer, std::size_t bytes_max) {
  const std::size_t before = buffer.size();
  ERR_clear_error();
  while (buffer.size() - before < bytes_max) {
    const std::size_t at = buffer.size();
    const std::size_t room = std::min(bytes_max - (at - before), kRecordMax);
    int read = 0;
    buffer.resize_and_overwrite(at + room, [&](char* bytes, std::size_t) {
      read = SSL_read(session_.get(), bytes + at, static_cast<int>(room));
      return at + static_cast<std::size_t>(std::max(read, 0));
    });
    if (read > 0) continue;
    const Result<Step> step = judge(read);
    // Bytes before the end are read before the end is reported.
    if (buffer.size() > before) break;
    return step;
  }
  return Step::done;
}

Result<void> TlsSession::write_record(std::string_view plain) {
  if (plain.empty()) return {};
  const Result<Step> step =
      judge(SSL_write(session_.get(), plain.data(), static_cast<int>(plain.size())));
  if (!step.has_value()) return std::unexpected(step.error());
  if (*step == Step::done) return {};
  // Only a renegotiation would need input, and there is none.
  is_broken_ = true;
  return fail(ErrorCode::io_failed, fault_, "TLS: a new handshake is not answered");
}

Result<void> TlsSession::encrypt(std::span<const std::string_view> pieces) {
  ERR_clear_error();
  std::size_t size = 0;
  for (const std::string_view piece : pieces)
    size += piece.size();
  output_.reserve(output_.size() + size + (size / kRecordMax + 2) * kRecordBeside);
  std::array<char, kRecordMax> record;
  std::size_t filled = 0;
  for (std::string_view piece : pieces) {
    // Short pieces, and the start of long ones, fill up the started record.
    const bool begins = filled == 0 && piece.size() >= kRecordMax;
    if (!begins) {
      const std::size_t front = std::min(piece.size(), kRecordMax - filled);
      std::memcpy(record.data() + filled, piece.data(), front);
      filled += front;
      piece.remove_prefix(front);
    }
    if (piece.empty()) continue;
    const Result<void> full = write_record({record.data(), std::exchange(filled, 0)});
    if (!full.has_value()) return full;
    const std::size_t whole = piece.size() - piece.size() % kRecordMax;
    const Result<void> written = write_record(piece.substr(0, whole));
    if (!written.has_value()) return written;
    piece.remove_prefix(whole);
    std::memcpy(record.data(), piece.data(), piece.size());
    filled = piece.size();
  }
  return write_record({record.data(), filled});
}

void TlsSession::say_end() {
  const bool can = session_ != nullptr && !is_broken_ && SSL_is_init_finished(session_.get()) == 1;
  if (!can) return;
  ERR_clear_error();
  SSL_shutdown(session_.get());
}

std::string TlsSession::take_output() {
  return std::exchange(output_, std::string());
}

bool TlsSession::has_unread() const {
  return !input_.empty() || (session_ != nullptr && SSL_has_pending(session_.get()) == 1);
}

std::vector<std::string> TlsSession::verified_chain() const {
  const bool is_verified = SSL_get0_peer_certificate(session_.get()) != nullptr &&
                           SSL_get_verify_mode(session_.get()) != SSL_VERIFY_NONE &&
                           SSL_get_verify_result(session_.get()) == X509_V_OK;
  STACK_OF(X509)* const chain = is_verified ? SSL_get0_verified_chain(session_.get()) : nullptr;
  std::vector<std::string> certificates;
  const int count = chain == nullptr ? 0 : sk_X509_num(chain);
  certificates.reserve(static_cast<std::size_t>(count));
  for (int at = 0; at < count; ++at)
    certificates.push_back(der_of(sk_X509_value(chain, at)));
  return certificates;
}

Result<void> TlsSession::verify_client_by(SSL_CTX* context) const {
  // The handshake did so.
  const bool is_own = session_ != nullptr && context == SSL_get_SSL_CTX(session_.get());
  if (is_own && SSL_get_verify_result(session_.get()) == X509_V_OK) return {};
  const std::unique_ptr<X509_STORE_CTX, FreeChain> chain(X509_STORE_CTX_new());
  X509* const certificate = SSL_get0_peer_certificate(session_.get());
  const bool is_ready =
      chain != nullptr && certificate != nullptr &&
      X509_STORE_CTX_init(chain.get(), SSL_CTX_get_cert_store(context), certificate,
                          SSL_get_peer_cert_chain(session_.get())) == 1 &&
      X509_STORE_CTX_set_default(chain.get(), "ssl_client") == 1;
  if (!is_ready)
    return fail(ErrorCode::credentials_bad, fault_, "there is no certificate to verify");
  // As in the handshake itself.
  X509_VERIFY_PARAM* const terms = X509_STORE_CTX_get0_param(chain.get());
  X509_VERIFY_PARAM_set_auth_level(terms, SSL_CTX_get_security_level(context));
  X509_VERIFY_PARAM_set_depth(terms, SSL_CTX_get_verify_depth(context));
  const bool is_taken = X509_verify_cert(chain.get()) == 1;
  ERR_clear_error();
  if (is_taken) return {};
  return fail(ErrorCode::credentials_bad, fault_,
              refused_certificate(X509_STORE_CTX_get_error(chain.get())));
}

std::string TlsSession::peer_key() const {
  X509* const certificate = SSL_get0_peer_certificate(session_.get());
  if (certificate == nullptr) return {};
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  if (size <= 0) return {};
  std::string key =
      sha256_hex({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
  OPENSSL_free(der);
  return key;
}

}  // namespace bartizan
