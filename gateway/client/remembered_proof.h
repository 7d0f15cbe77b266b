#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// A number that changes whenever a revocation is made or lifted, and whenever a grant ends.
std::uint64_t present_revocations(const Worker& worker);

/// The credentials that proved the last request of a connection: a header, a certificate, or both.
/// Most clients repeat them with each request, which then needs no hash, look-up or signature
/// check. Requests on a proxy's connection come from several clients with different certificates.
///
/// It is forgotten with the connection, after a change of configuration, when the credential
/// expires, after any revocation is made or lifted, and after `kHoldsFor` seconds. The last bound
/// covers other changes, such as an issuer's key that ended.
///
/// Threads: those of the connection.
/// Bounded: one header of at most `kBytesMax` bytes, wiped when it is replaced, and one certificate
/// of at most `kCertificateMax`.
/// Cost:    a comparison in constant time, one of the certificate, and a copy of the caller.
class RememberedProof {
 public:
  static constexpr std::int64_t kHoldsFor = 30;
  static constexpr std::size_t kBytesMax = 4096;
  static constexpr std::size_t kCertificateMax = 8192;

  RememberedProof() = default;
  RememberedProof(const RememberedProof&) = delete;
  RememberedProof& operator=(const RememberedProof&) = delete;
  ~RememberedProof() { forget(); }

  /// The time of a proof or of a look-up.
  struct Moment {
    std::int64_t now = 0;           ///< Seconds since 1970.
    std::uint64_t revocations = 0;  ///< The version of the revocations before the proof.
  };

  /// The caller that these credentials proved under that configuration, or null.
  const Authenticated* find(const Credentials& credentials, const SnapshotPtr& snapshot,
                            const Moment& moment) const;
  /// Remembers a proof. Input: credentials that were just proved.
  void keep(const Credentials& credentials, const SnapshotPtr& snapshot,
            const Authenticated& caller, const Moment& moment);
  void forget();

 private:
  std::string authorization_;  ///< Empty if none was sent.
  std::string certificate_;    ///< The peer's, in DER; empty if it has none.
  std::weak_ptr<const Snapshot> snapshot_;
  Authenticated caller_;
  std::int64_t until_ = 0;
  std::uint64_t revocations_ = 0;
};

}  // namespace bartizan
