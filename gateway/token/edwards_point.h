#pragma once

#include <string_view>

namespace bartizan {

/// Whether 32 bytes are a point of Edwards25519 that may be somebody's public key: the one spelling
/// of a point on the curve, and none of the eight whose order is small, with which signatures can
/// be made without a private key.
///
/// OpenSSL takes any 32 bytes for a key and finds out when it verifies, the small orders never.
/// Source: RFC 8032 §5.1.3, §5.1.7 and §8.
bool is_edwards_point(std::string_view bytes);

}  // namespace bartizan
