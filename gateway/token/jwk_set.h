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

/// The largest key set. Large issuers publish a dozen keys, 20 kB with certificates.
inline constexpr std::size_t kKeySetBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kKeySetKeysMax = 128;
/// The most bytes of a key id, in a set and in a token.
inline constexpr std::size_t kKeyIdBytesMax = 512;

/// One key that an issuer signs with.
struct IssuerKey {
  PublicKey key;
  /// `kid`. Several keys may share an id, and a key may have none.
  std::optional<std::string> id = {};
  /// `alg`: the only algorithm of the key. Without it, any that fits the kind of key.
  std::optional<SignatureAlgorithm> algorithm = {};

  /// Whether the key may verify signatures of that algorithm.
  bool fits(SignatureAlgorithm wanted) const {
    return kind_of(wanted) == key.kind() && algorithm.value_or(wanted) == wanted;
  }
};

/// The published keys of an issuer that can verify its tokens.
///
/// Threads: any; immutable.
struct JwkSet {
  std::vector<IssuerKey> keys;
  /// The number of skipped keys, by cause.
  std::array<std::uint32_t, kKeyDefectCount> left_out{};
};

/// Parses a JWK Set. A key that cannot be used is skipped; the others stay.
///
/// Errors: of fault `server`: a json_* code if it is not strict JSON, or too large; server_failed
///         if it is not a key set, or has more keys than `kKeySetKeysMax`.
/// Source: RFC 7517 §4, §5; RFC 7518 §6.2, §6.3; RFC 8037 §2.
Result<JwkSet> read_jwk_set(const Bytes& bytes);

}  // namespace bartizan
