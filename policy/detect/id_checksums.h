#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bartizan {

// What numbers that identify something end with, so that a slip of the pen shows. Each takes digits
// or letters alone, without what parts them.

/// Cards and a few national ids. Source: ISO/IEC 7812-1, annex B.
bool passes_luhn(std::string_view digits);

/// Aadhaar: finds every wrong digit and every two that changed places. Source: Verhoeff, 1969.
bool passes_verhoeff(std::string_view digits);

/// The remainder by 97 of an IBAN, its first four bytes moved behind the others and letters of
/// upper case read as 10 to 35. Source: ISO 13616-1, 6.
unsigned iban_remainder(std::string_view iban);

/// The sum of digits, each times its weight.
unsigned weighted_sum(std::string_view digits, std::span<const std::uint8_t> weights);

/// A Bitcoin address of the first kinds: a version, a hash, four bytes of a digest of both.
/// Source: Bitcoin Wiki, "Base58Check encoding".
bool is_base58_address(std::string_view text);

/// A Bitcoin address of a witness program: `bc1…` and `tb1…`. Source: BIP 173, BIP 350.
bool is_witness_address(std::string_view text);

}  // namespace bartizan
