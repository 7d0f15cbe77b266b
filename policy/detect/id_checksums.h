#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bartizan {

// Check digits of identification numbers, which reveal typing errors. The input has digits or
// letters only, without separators.

/// The Luhn check of cards and a few national ids. Source: ISO/IEC 7812-1, annex B.
bool passes_luhn(std::string_view digits);

/// The Verhoeff check of Aadhaar. It detects every wrong digit and every swap of two adjacent
/// digits. Source: Verhoeff, 1969.
bool passes_verhoeff(std::string_view digits);

/// The remainder of an IBAN modulo 97. Its first four bytes are moved to the end, and upper-case
/// letters count as 10 to 35.
/// Source: ISO 13616-1, 6.
unsigned iban_remainder(std::string_view iban);

/// The sum of the digits, each multiplied by its weight.
unsigned weighted_sum(std::string_view digits, std::span<const std::uint8_t> weights);

/// Whether a text is a Base58Check address of Bitcoin: a version, a hash, and four bytes of a
/// double digest.
/// Source: Bitcoin Wiki, "Base58Check encoding".
bool is_base58_address(std::string_view text);

/// Whether a text is a witness address of Bitcoin: `bc1…` or `tb1…`. Source: BIP 173, BIP 350.
bool is_witness_address(std::string_view text);

}  // namespace bartizan
