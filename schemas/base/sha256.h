#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bartizan {

/// Bytes in lower-case hex.
std::string hex_of(std::span<const unsigned char> bytes);

/// The SHA-256 of some bytes, in lower-case hex. Empty if the library fails. Source: FIPS 180-4.
std::string sha256_hex(std::string_view bytes);

}  // namespace bartizan
