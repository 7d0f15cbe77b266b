#include "gateway/token/pem_key.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstddef>

#include "gateway/token/no_openssl_errors.h"

namespace bartizan {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

template <class Read>
PemKey read_pem(std::string_view pem, Read read) {
  const NoOpensslErrors guard;
  const std::unique_ptr<BIO, FreeBio> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // Without this, OpenSSL would ask the terminal for a passphrase.
  const auto no_passphrase = [](char* /*buffer*/, int /*size*/, int /*is_writing*/,
                                void* /*unused*/) { return 0; };
  return PemKey(bio == nullptr ? nullptr : read(bio.get(), nullptr, no_passphrase, nullptr));
}

}  // namespace

void FreePemKey::operator()(evp_pkey_st* key) const {
  EVP_PKEY_free(key);
}

PemKey read_private_pem(std::string_view pem) {
  return read_pem(pem, PEM_read_bio_PrivateKey);
}

PemKey read_public_pem(std::string_view pem) {
  return read_pem(pem, PEM_read_bio_PUBKEY);
}

std::string sign_bytes(evp_pkey_st* key, const evp_md_st* digest, std::string_view input) {
  const NoOpensslErrors guard;
  const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(input.data());
  std::size_t size = 0;
  if (context == nullptr || EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes, input.size()) != 1) {
    return "";
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes, input.size()) != 1) {
    return "";
  }
  signature.resize(size);
  return signature;
}

}  // namespace bartizan
