#include "tests/gateway/net/authority.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <utility>

#include <gtest/gtest.h>

namespace bartizan {
namespace {

struct FreeBio {
  void operator()(BIO* bytes) const { BIO_free(bytes); }
};
struct FreeList {
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
};

template <class Write>
std::string text_of(Write write) {
  const std::unique_ptr<BIO, FreeBio> bytes(BIO_new(BIO_s_mem()));
  EXPECT_EQ(write(bytes.get()), 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  if (value.empty()) return;
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void set_name(X509_NAME* name, const std::string& text) {
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
}

}  // namespace

std::string MadeCertificate::der() const {
  return text_of([this](BIO* bytes) { return i2d_X509_bio(bytes, certificate.get()); });
}

std::string MadeCertificate::pem() const {
  return text_of([this](BIO* bytes) { return PEM_write_bio_X509(bytes, certificate.get()); });
}

std::string MadeCertificate::key_pem() const {
  return text_of([this](BIO* bytes) {
    return PEM_write_bio_PrivateKey(bytes, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Authority::Authority(std::string name)
    : name_(std::move(name)),
      own_(make(name_, {.names = "", .usage = "", .is_authority = true}, nullptr)) {}

Authority::Authority(std::string name, Authority& parent)
    : name_(std::move(name)),
      own_(parent.make(name_, {.names = "", .usage = "", .is_authority = true}, &parent.own_)) {}

MadeCertificate Authority::issue(const CertificateTerms& terms) {
  return make("somebody", terms, &own_);
}

MadeCertificate Authority::make(const std::string& subject, const CertificateTerms& terms,
                                const MadeCertificate* signer) {
  MadeCertificate made{
      .certificate = std::unique_ptr<X509, MadeCertificate::Free>(X509_new()),
      .key = std::unique_ptr<EVP_PKEY, MadeCertificate::Free>(EVP_EC_gen("P-256"))};
  X509* const certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), ++serial_);
  X509_gmtime_adj(X509_getm_notBefore(certificate), terms.begins);
  X509_gmtime_adj(X509_getm_notAfter(certificate), terms.ends);
  X509_set_pubkey(certificate, made.key.get());
  set_name(X509_get_subject_name(certificate), subject);
  set_name(X509_get_issuer_name(certificate), signer == nullptr ? subject : name_);
  add_extension(certificate, NID_subject_alt_name, terms.names);
  add_extension(certificate, NID_ext_key_usage, terms.usage);
  add_extension(certificate, NID_basic_constraints,
                terms.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  EVP_PKEY* const key = signer == nullptr ? made.key.get() : signer->key.get();
  EXPECT_GT(X509_sign(certificate, key, EVP_sha256()), 0);
  return made;
}

std::string Authority::revoke(std::span<const MadeCertificate* const> certificates, long ends) {
  const std::unique_ptr<X509_CRL, FreeList> list(X509_CRL_new());
  X509_CRL_set_version(list.get(), 1);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(own_.certificate.get()));
  ASN1_TIME* const time = ASN1_TIME_new();
  X509_CRL_set1_lastUpdate(list.get(), X509_gmtime_adj(time, -120));
  for (const MadeCertificate* certificate : certificates) {
    X509_REVOKED* const revoked = X509_REVOKED_new();
    X509_REVOKED_set_serialNumber(revoked, X509_get_serialNumber(certificate->certificate.get()));
    X509_REVOKED_set_revocationDate(revoked, time);
    X509_CRL_add0_revoked(list.get(), revoked);
  }
  X509_CRL_set1_nextUpdate(list.get(), X509_gmtime_adj(time, ends));
  ASN1_TIME_free(time);
  X509_CRL_sort(list.get());
  EXPECT_GT(X509_CRL_sign(list.get(), own_.key.get(), EVP_sha256()), 0);
  return text_of([&list](BIO* bytes) { return PEM_write_bio_X509_CRL(bytes, list.get()); });
}

}  // namespace bartizan
