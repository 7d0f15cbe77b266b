#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// The reason that an issuer's key is not used. Issuers also publish keys for purposes other than
/// signatures, so most of these are not mistakes.
enum class KeyDefect : std::uint8_t {
  no_object,           ///< Not an object, or a common member is not a text.
  kind_unknown,        ///< `kty`
  symmetric,           ///< `oct`: a key that can verify could also sign.
  private_key,         ///< Published with its private part: anybody can sign with it.
  use_other,           ///< `use`, such as `enc`.
  operations_other,    ///< `key_ops` without `verify`.
  algorithm_unknown,   ///< `alg`, such as `RSA-OAEP`.
  algorithm_mismatch,  ///< `alg` of another kind of key.
  curve_unknown,       ///< `crv`
  id_malformed,        ///< `kid`
  encoding,            ///< A number is not unpadded base64url.
  length,              ///< A number has a wrong length.
  modulus_size,        ///< RSA below 2048 or above 8192 bits.
  modulus_even,
  exponent,  ///< Even, 1, or more than 33 bits.
  point      ///< Not on its curve, or of small order.
};

inline constexpr std::size_t kKeyDefectCount = static_cast<std::size_t>(KeyDefect::point) + 1;

/// The name in logs and metrics: `modulus_size`.
std::string_view text(KeyDefect defect);

}  // namespace bartizan
