#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

namespace bartizan {

struct FreeMade {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
/// A key that a test has made.
using MadeKey = std::unique_ptr<EVP_PKEY, FreeMade>;

inline MadeKey make_ed25519_key() {
  return MadeKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
}

inline std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// Its private part in PEM, under a passphrase if there is one.
inline std::string private_pem(const MadeKey& key, const char* passphrase = nullptr) {
  const std::unique_ptr<BIO, FreeMade> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key.get(),
                           passphrase == nullptr ? nullptr : EVP_aes_256_cbc(), nullptr, 0, nullptr,
                           const_cast<char*>(passphrase));
  return text_of(bio.get());
}

inline std::string public_pem(const MadeKey& key) {
  const std::unique_ptr<BIO, FreeMade> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PUBKEY(bio.get(), key.get());
  return text_of(bio.get());
}

}  // namespace bartizan
