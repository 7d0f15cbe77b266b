#include "policy/text/keyed_hash.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace bartizan {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void rounds(int count) {
    for (int i = 0; i < count; ++i)
      round();
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  std::uint64_t fold() const { return v0 ^ v1 ^ v2 ^ v3; }
};

/// Up to eight bytes, little endian on every machine.
std::uint64_t read_word(std::string_view bytes) {
  std::uint64_t word = 0;
  if (bytes.size() == sizeof(word) && std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes.data(), sizeof(word));
    return word;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

std::array<std::uint64_t, 2> keyed_hash(const HashSeed& seed, std::string_view text) {
  State state{0x736f6d6570736575 ^ seed[0], 0x646f72616e646f6d ^ seed[1] ^ 0xee,
              0x6c7967656e657261 ^ seed[0], 0x7465646279746573 ^ seed[1]};
  const std::uint64_t size = text.size();
  while (text.size() >= 8) {
    state.absorb(read_word(text.substr(0, 8)));
    text.remove_prefix(8);
  }
  state.absorb(read_word(text) | size << 56);
  state.v2 ^= 0xee;
  state.rounds(4);
  const std::uint64_t low = state.fold();
  state.v1 ^= 0xdd;
  state.rounds(4);
  return {low, state.fold()};
}

}  // namespace bartizan
