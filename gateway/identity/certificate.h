#pragma once

#include <vector>

#include "gateway/identity/verifier.h"

namespace bartizan {

/// Authenticates by the certificate that the peer proved to be its own in the TLS handshake. One of
/// the authorities of `[listen] tls.client_ca` must have signed it. Its alternative names count,
/// never its subject.
///
/// Cost:   reads the certificate; no signature is verified.
/// Source: RFC 9525 §6.3 (names); SPIFFE X.509-SVID §2, §5.2.
class CertificateVerifier : public Verifier {
 public:
  explicit CertificateVerifier(const std::vector<CertificateConfig>& certificates);

  CredentialKind kind() const override { return CredentialKind::certificate; }
  bool is_shown(const Credentials& credentials) const override;
  Task<Verification> verify(Loop& loop, Credentials credentials, std::int64_t now) const override;
  std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                    std::string_view principal,
                                                    std::int64_t now) const override;

 private:
  struct Accepted {
    CertificateConfig config;
    std::uint64_t terms = 0;  ///< As in `Credential`.
  };
  Verification find(const Credentials& credentials, std::int64_t now) const;

  std::vector<Accepted> accepted_;
};

/// Null if the configuration names no certificates.
VerifierPtr make_certificate_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
