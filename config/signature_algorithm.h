#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bartizan {

/// The signature algorithms that issuers may use. `none` is missing because it signs nothing. HMAC
/// is missing because its verification key can also sign. Source: RFC 7518 §3.1; RFC 8037 §3.1.
enum class SignatureAlgorithm : std::uint8_t {
  rs256,
  rs384,
  rs512,
  ps256,
  ps384,
  ps512,
  es256,
  es384,
  es512,
  eddsa  ///< With Ed25519 only.
};

inline constexpr std::size_t kSignatureAlgorithms = 10;

/// Their exact spellings in tokens, keys and the configuration. `Ed25519` is the newer name of
/// `EdDSA` with a key of that curve (RFC 9864 §2.2).
inline constexpr std::array<std::pair<std::string_view, SignatureAlgorithm>,
                            kSignatureAlgorithms + 1>
    kSignatureAlgorithmNames{{{"RS256", SignatureAlgorithm::rs256},
                              {"RS384", SignatureAlgorithm::rs384},
                              {"RS512", SignatureAlgorithm::rs512},
                              {"PS256", SignatureAlgorithm::ps256},
                              {"PS384", SignatureAlgorithm::ps384},
                              {"PS512", SignatureAlgorithm::ps512},
                              {"ES256", SignatureAlgorithm::es256},
                              {"ES384", SignatureAlgorithm::es384},
                              {"ES512", SignatureAlgorithm::es512},
                              {"EdDSA", SignatureAlgorithm::eddsa},
                              {"Ed25519", SignatureAlgorithm::eddsa}}};

}  // namespace bartizan
