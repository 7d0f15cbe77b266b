#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bartizan {

/// A certificate that a test made, and its key.
struct MadeCertificate {
  struct Free {
    void operator()(X509* made) const { X509_free(made); }
    void operator()(EVP_PKEY* made) const { EVP_PKEY_free(made); }
  };
  std::unique_ptr<X509, Free> certificate;
  std::unique_ptr<EVP_PKEY, Free> key;

  std::string der() const;
  std::string pem() const;
  std::string key_pem() const;
};

/// What a certificate is to say. Times are in seconds from now.
struct CertificateTerms {
  std::string names = "DNS:ci.example.com";  ///< As OpenSSL spells them; empty for none.
  std::string usage = "clientAuth";          ///< Extended key usage; empty for none.
  long begins = -60;
  long ends = 3600;
  bool is_authority = false;
};

/// An authority of a test's own.
class Authority {
 public:
  explicit Authority(std::string name);
  /// One that another authority signed.
  Authority(std::string name, Authority& parent);

  MadeCertificate issue(const CertificateTerms& terms = {});
  /// A list of these, in PEM. Input: when it ends, in seconds from now.
  std::string revoke(std::span<const MadeCertificate* const> certificates, long ends = 3600);
  const MadeCertificate& own() const { return own_; }

 private:
  MadeCertificate make(const std::string& subject, const CertificateTerms& terms,
                       const MadeCertificate* signer);

  std::int64_t serial_ = 1;
  std::string name_;
  MadeCertificate own_;
};

}  // namespace bartizan
