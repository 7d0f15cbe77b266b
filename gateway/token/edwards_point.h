#pragma once

#include <string_view>

namespace bartizan {

/// Whether 32 bytes are a point of Edwards25519 that can be a public key. They must be the
/// canonical encoding of a point on the curve. The eight points of small order are not accepted:
/// signatures for them need no private key.
///
/// OpenSSL accepts any 32 bytes as a key. It rejects bad ones only when it verifies, and points of
/// small order never.
/// Source: RFC 8032 §5.1.3, §5.1.7 and §8.
bool is_edwards_point(std::string_view bytes);

}  // namespace bartizan
