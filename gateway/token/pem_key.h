#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "schemas/base/result.h"

struct evp_md_st;
struct evp_pkey_st;

namespace bartizan {

struct FreePemKey {
  void operator()(evp_pkey_st* key) const;
};
/// A key that was read from PEM.
using PemKey = std::unique_ptr<evp_pkey_st, FreePemKey>;

/// The private key of a PEM text without a passphrase; null for what is none.
PemKey read_private_pem(std::string_view pem);
/// The public key of a PEM text, `BEGIN PUBLIC KEY`; null for what is none.
PemKey read_public_pem(std::string_view pem);

/// The signature of `input`; of elliptic curves as DER, empty where the key does not sign.
/// Input: the digest that is signed; null for a kind of key that has its own.
std::string sign_bytes(evp_pkey_st* key, const evp_md_st* digest, std::string_view input);

}  // namespace bartizan
