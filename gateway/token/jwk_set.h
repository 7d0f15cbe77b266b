#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/signature_algorithm.h"
#include "gateway/token/key_defect.h"
#include "gateway/token/public_key.h"
#include "schemas/base/bytes.h"
#include "schemas/base/result.h"

namespace bartizan {

/// What a key set may at most be. Large issuers publish a dozen keys, with their certificates 20
/// kB.
inline constexpr std::size_t kKeySetBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kKeySetKeysMax = 128;
/// Of the name of a key, in a set and in a token.
inline constexpr std::size_t kKeyIdBytesMax = 512;

/// One key that an issuer signs with.
struct IssuerKey {
  PublicKey key;
  /// `kid`. Several keys may have one name, and a key may have none.
  std::optional<std::string> id = {};
  /// `alg`: the one algorithm that it is for. Without it any that fits its kind.
  std::optional<SignatureAlgorithm> algorithm = {};

  /// Whether it may verify what is signed by that algorithm.
  bool fits(SignatureAlgorithm wanted) const {
    return kind_of(wanted) == key.kind() && algorithm.value_or(wanted) == wanted;
  }
};

/// The keys that an issuer publishes and that can verify its tokens.
///
/// Threads: any; immutable.
struct JwkSet {
  std::vector<IssuerKey> keys;
  /// How many were left out, by why.
  std::array<std::uint32_t, kKeyDefectCount> left_out{};
};

/// The keys of a JWK Set. One that cannot be used is left out, and the others stay.
///
/// Errors: of fault `server`: a json_* code for what is no strict JSON, or too large; server_failed
///         for what is no key set, or has more keys than `kKeySetKeysMax`.
/// Source: RFC 7517 §4, §5; RFC 7518 §6.2, §6.3; RFC 8037 §2.
Result<JwkSet> read_jwk_set(const Bytes& bytes);

}  // namespace bartizan
