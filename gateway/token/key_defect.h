#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// Why a key of an issuer is not used. Issuers publish keys for other purposes beside those that
/// sign, so most of these are no mistake.
enum class KeyDefect : std::uint8_t {
  no_object,           ///< Or a member that every key has is no text.
  kind_unknown,        ///< `kty`
  symmetric,           ///< `oct`: who can verify with it can sign with it.
  private_key,         ///< Published with its private part, so anybody can sign with it.
  use_other,           ///< `use`, such as `enc`.
  operations_other,    ///< `key_ops` without `verify`.
  algorithm_unknown,   ///< `alg`, such as `RSA-OAEP`.
  algorithm_mismatch,  ///< `alg` of another kind of key.
  curve_unknown,       ///< `crv`
  id_malformed,        ///< `kid`
  encoding,            ///< A number is no unpadded base64url.
  length,              ///< A number is not as long as it has to be.
  modulus_size,        ///< RSA below 2048 or above 8192 bits.
  modulus_even,
  exponent,  ///< Even, 1, or more than 33 bits.
  point      ///< Not on its curve, or of a small order.
};

inline constexpr std::size_t kKeyDefectCount = static_cast<std::size_t>(KeyDefect::point) + 1;

/// As logs and metrics write it: `modulus_size`.
std::string_view text(KeyDefect defect);

}  // namespace bartizan
