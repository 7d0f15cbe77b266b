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

/// The private key of a PEM text without a passphrase; null if it is not one.
PemKey read_private_pem(std::string_view pem);
/// The public key of a PEM text, `BEGIN PUBLIC KEY`; null if it is not one.
PemKey read_public_pem(std::string_view pem);

/// Signs `input`. A signature of an elliptic curve is DER. Empty if the key cannot sign.
/// Input: the digest to sign; null for a kind of key with its own digest.
std::string sign_bytes(evp_pkey_st* key, const evp_md_st* digest, std::string_view input);

}  // namespace bartizan
