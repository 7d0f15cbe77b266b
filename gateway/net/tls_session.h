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

/// TLS over bytes that somebody else carries: it encrypts and decrypts, and knows no socket and no
/// waiting. What is to be sent gathers until `take_output`; what came is handed in by `feed`.
///
/// Records of one message gather there, so that they leave together: one system call instead of one
/// for each 16 KiB. A session that waits holds no buffers but what of the peer's bytes is unread.
///
/// Errors:  closed (the peer ended the session), io_failed (what came is no TLS, or is refused),
///          credentials_bad (a server refuses the certificate that its client showed).
/// Threads: one at a time.
/// Source:  RFC 8446; SSL_read(3), SSL_write(3).
class TlsSession {
 public:
  enum class Side : std::uint8_t { client, server };
  /// What a step needs before it can go on.
  enum class Step : std::uint8_t { done, needs_input };

  /// Plain bytes that one call of `encrypt` takes at most: five records.
  static constexpr std::size_t kEncryptedMax = std::size_t{80} << 10;

  /// Input: a context that outlives it, `fault` for whose fault it is where the session fails.
  TlsSession(SSL_CTX* context, Side side, Fault fault);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  /// Has a client ask for that host, and take no certificate but one of its name or address.
  /// Called before the handshake. False where the host is none that could be asked for.
  bool expect_host(const std::string& host);

  /// Goes on with the handshake. What it has to say is to be sent whatever it answers.
  Result<Step> handshake();

  /// Bytes of the peer, to be read by the next step. Lifetime: until `keep_unread`.
  void feed(std::string_view encrypted);
  /// Takes into its own memory what no step has read of them.
  void keep_unread();

  /// Appends up to `bytes_max` decrypted bytes to `buffer`, as many as there are.
  /// Answers `needs_input` where there is none.
  Result<Step> decrypt(std::string& buffer, std::size_t bytes_max);
  /// Encrypts the pieces, which are `kEncryptedMax` bytes together at most, for `take_output`.
  /// Short pieces share a record with what stands after them.
  Result<void> encrypt(std::span<const std::string_view> pieces);
  /// Tells the peer that nothing more will come. Source: RFC 8446 §6.1.
  void say_end();

  /// Bytes to be sent: whoever takes them sends them, in the order in which they were taken.
  std::string take_output();
  /// Gives back the end of what was taken: it is to be sent before all else.
  void put_back(std::string_view output) { output_.insert(0, output); }
  std::size_t output_size() const { return output_.size(); }
  /// What was taken was not sent whole: nothing that is sent after it could be read.
  void break_off() { is_broken_ = true; }
  /// Whether bytes of the peer are there that nobody has read.
  bool has_unread() const;

  /// SHA-256 of the public key of the peer's certificate, as DER has it, lower-case hex; empty
  /// where it has none. Source: RFC 7469 §2.4.
  std::string peer_key() const;

  /// The peer's certificate and those that lead from it to an authority, as they were verified in
  /// the handshake, in DER; empty where it showed none.
  std::vector<std::string> verified_chain() const;
  /// Whether a server that uses `context` would take the certificate of this client now.
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
  bool is_broken_ = false;  ///< Nothing may be sent any more, not even its end.
  std::string output_;
  std::string_view input_;  ///< What was fed and not read.
  std::string unread_;      ///< Owns `input_` between two steps.
};

}  // namespace bartizan
