#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/ssl.h>

#include "schemas/base/result.h"

namespace bartizan {

/// TLS over bytes that the caller transports. It encrypts and decrypts, and has no socket and no
/// waits. Output is collected until `take_output`; received bytes go to `feed`.
///
/// The records of one message are collected, so that they are sent with one system call instead of
/// one for each 16 KiB. An idle session has no buffers but the peer's unread bytes.
///
/// Errors:  closed (the peer ended the session), io_failed (the bytes are not TLS, or are refused),
///          credentials_bad (a server refuses the certificate of its client).
/// Threads: one at a time.
/// Source:  RFC 8446; SSL_read(3), SSL_write(3).
class TlsSession {
 public:
  enum class Side : std::uint8_t { client, server };
  /// What a step needs to continue.
  enum class Step : std::uint8_t { done, needs_input };

  /// The most plain bytes for one call of `encrypt`: five records.
  static constexpr std::size_t kEncryptedMax = std::size_t{80} << 10;

  /// Input: a context that outlives it; `fault` is the fault of its errors.
  TlsSession(SSL_CTX* context, Side side, Fault fault);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  /// Makes a client request that host, and accept only a certificate for that name or address.
  /// Called before the handshake. False if the host is not valid.
  bool expect_host(const std::string& host);

  /// Continues the handshake. Its output must be sent whatever the result is.
  Result<Step> handshake();

  /// Adds bytes of the peer for the next step. Lifetime: until `keep_unread`.
  void feed(std::string_view encrypted);
  /// Copies the unread part of the added bytes into its own memory.
  void keep_unread();

  /// Appends up to `bytes_max` decrypted bytes to `buffer`, as many as there are. Returns
  /// `needs_input` if there are none.
  Result<Step> decrypt(std::string& buffer, std::size_t bytes_max);
  /// Encrypts the pieces, at most `kEncryptedMax` bytes together, for `take_output`. Short pieces
  /// share a record with the next ones.
  Result<void> encrypt(std::span<const std::string_view> pieces);
  /// Tells the peer that nothing more follows. Source: RFC 8446 §6.1.
  void say_end();

  /// Takes the output. The caller must send it, in the order of the calls.
  std::string take_output();
  /// Returns the unsent end of the taken output, which must be sent first.
  void put_back(std::string_view output) { output_.insert(0, output); }
  std::size_t output_size() const { return output_.size(); }
  /// Marks that taken output was sent only in part. The peer could not read anything after it.
  void break_off() { is_broken_ = true; }
  /// Whether there are unread bytes of the peer.
  bool has_unread() const;

  /// SHA-256 of the DER public key in the peer's certificate, in lower-case hex; empty without a
  /// certificate. Source: RFC 7469 §2.4.
  std::string peer_key() const;

  /// The peer's certificate and the chain from it to an authority, as verified in the handshake, in
  /// DER. Empty if it had none.
  std::vector<std::string> verified_chain() const;
  /// Whether a server with `context` would accept the certificate of this client now.
  /// Errors: credentials_bad with the cause.
  /// Cost:   verifies the signatures of the chain; nothing for the context of the session itself.
  Result<void> verify_client_by(SSL_CTX* context) const;

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  struct Method;

  Result<Step> judge(int result);
  Result<void> write_record(std::string_view plain);

  std::unique_ptr<SSL, Free> session_;
  Fault fault_;
  bool is_broken_ = false;  ///< Nothing more may be sent, not even its end.
  std::string output_;
  std::string_view input_;  ///< The unread part of the added bytes.
  std::string unread_;      ///< Owns `input_` between two steps.
};

}  // namespace bartizan
