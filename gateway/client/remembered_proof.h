#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// A number that is another one whenever something was revoked or lifted, or a grant ended.
std::uint64_t present_revocations(const Worker& worker);

/// What proved the last request of a connection: a header, a certificate, or both. Most clients
/// show the same with each request: then nothing is hashed, looked up or verified. A proxy's
/// connection carries requests of several clients, whose certificates differ.
///
/// It is forgotten with the connection, by another configuration, when the credential expires, when
/// an operator revokes or lifts something, and after `kHoldsFor` seconds: what else may have ended
/// meanwhile, such as a key of its issuer, is asked for then.
///
/// Threads: those of the connection.
/// Bounded: one header of at most `kBytesMax` bytes, wiped when it is replaced, and one certificate
///          of at most `kCertificateMax`.
/// Cost:    a comparison in constant time, one of the certificate, and a copy of the answer.
class RememberedProof {
 public:
  static constexpr std::int64_t kHoldsFor = 30;
  static constexpr std::size_t kBytesMax = 4096;
  static constexpr std::size_t kCertificateMax = 8192;

  RememberedProof() = default;
  RememberedProof(const RememberedProof&) = delete;
  RememberedProof& operator=(const RememberedProof&) = delete;
  ~RememberedProof() { forget(); }

  /// When something is proved, or asked for again.
  struct Moment {
    std::int64_t now = 0;           ///< Seconds since 1970.
    std::uint64_t revocations = 0;  ///< The version of what is revoked, before it was proved.
  };

  /// Whom these credentials proved under that configuration, or null.
  const Authenticated* find(const Credentials& credentials, const SnapshotPtr& snapshot,
                            const Moment& moment) const;
  /// Input: credentials that were just proved.
  void keep(const Credentials& credentials, const SnapshotPtr& snapshot,
            const Authenticated& caller, const Moment& moment);
  void forget();

 private:
  std::string authorization_;  ///< Empty where none was shown.
  std::string certificate_;    ///< The peer's, in DER; empty where none was shown.
  std::weak_ptr<const Snapshot> snapshot_;
  Authenticated caller_;
  std::int64_t until_ = 0;
  std::uint64_t revocations_ = 0;
};

}  // namespace bartizan
