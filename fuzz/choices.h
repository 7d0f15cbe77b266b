#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bartizan {

/// What a generator decides by: the bytes of a fuzzer, or a sequence that a seed fixes on every
/// machine. Where the bytes end, every choice is the first: a generator whose first choices are
/// leaves ends with them.
class FuzzChoices {
 public:
  static FuzzChoices from_seed(std::uint64_t seed) { return FuzzChoices(seed, {}); }
  static FuzzChoices from_bytes(std::span<const std::uint8_t> bytes) {
    return FuzzChoices(0, bytes);
  }

  /// One of the numbers below `end`, which is 1 to 65 536.
  std::size_t below(std::size_t end) {
    if (seed_ != 0) return next_word() % end;
    std::size_t value = next_byte();
    if (end > 256) value = value << 8 | next_byte();
    return value % end;
  }
  bool one_in(std::size_t count) { return below(count) == count - 1; }
  template <class Values>
  const auto& pick(const Values& values) {
    return values[below(std::size(values))];
  }

 private:
  FuzzChoices(std::uint64_t seed, std::span<const std::uint8_t> bytes)
      : seed_(seed), bytes_(bytes) {}

  std::uint8_t next_byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  /// SplitMix64: the same numbers with every standard library.
  std::size_t next_word() {
    seed_ += 0x9e3779b97f4a7c15U;
    std::uint64_t word = seed_;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9U;
    word = (word ^ word >> 27) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((word ^ word >> 31) >> 16);
  }

  std::uint64_t seed_;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace bartizan
