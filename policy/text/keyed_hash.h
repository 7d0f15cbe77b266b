#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// A secret key for `keyed_hash`, random for each process. Policy reads no randomness: it is given.
using HashSeed = std::array<std::uint64_t, 2>;

/// SipHash-2-4 with 128 bits of output: who does not know the key cannot find two texts that
/// collide, so hostile names cannot share, or exhaust, other people's buckets.
///
/// Cost:   about 1 ns a byte.
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF".
std::array<std::uint64_t, 2> keyed_hash(const HashSeed& seed, std::string_view text);

}  // namespace bartizan
