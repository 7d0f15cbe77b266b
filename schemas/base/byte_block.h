#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace bartizan {

/// `kSize` bytes that are compared at once. The result of a comparison has a bit for each byte, the
/// lowest for the first.
///
/// Input: all of the bytes are readable.
/// Cost:  a few vector instructions, which every supported processor has.
template <std::size_t kSize>
class ByteVector {
 public:
  using Hits = std::conditional_t<kSize == 64, std::uint64_t, std::uint16_t>;

  explicit ByteVector(const char* at) : bytes_(reinterpret_cast<const Anywhere*>(at)->bytes) {}

  Hits equal(char c) const { return bits(bytes_ == Bytes(c)); }
  /// Finds bytes below `c`, which is ASCII, and bytes that are not ASCII.
  Hits below(char c) const { return bits(bytes_ < Bytes(c)); }

 private:
  using Bytes = signed char __attribute__((ext_vector_type(kSize)));
  using Bits = bool __attribute__((ext_vector_type(kSize)));

  /// Read in place: std::memcpy is a call in fortified builds.
  struct [[gnu::packed, gnu::may_alias]] Anywhere {
    Bytes bytes;
  };

  static Hits bits(const auto& compared) {
    static_assert(std::endian::native == std::endian::little);
    static_assert(8 * sizeof(Hits) == kSize);
    return std::bit_cast<Hits>(__builtin_convertvector(compared, Bits));
  }

  Bytes bytes_;
};

/// Sixty-four bytes of a text, padded with blanks after its end.
///
/// Input: `at` is not beyond the text.
class ByteBlock : public ByteVector<64> {
 public:
  static constexpr std::size_t kBytes = 64;

  ByteBlock(std::string_view text, std::size_t at) : ByteVector(first_of(text.substr(at))) {}

 private:
  static ByteVector first_of(std::string_view rest) {
    if (rest.size() >= kBytes) return ByteVector(rest.data());
    std::array<char, kBytes> padded;
    padded.fill(' ');
    std::ranges::copy(rest, padded.begin());
    return ByteVector(padded.data());
  }
};

/// A search over blocks, also compiled for wider vectors, which need fewer instructions per block.
///
/// Input: `kSearch`, a function that is inlined by force, and the types of its arguments.
template <auto kSearch, class... Arguments>
class Widest {
 public:
  using Search = std::invoke_result_t<decltype(kSearch), Arguments...> (*)(Arguments...);

  /// The widest version that this processor supports.
  static Search choose() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw")) return with_avx512;
    if (__builtin_cpu_supports("avx2")) return with_avx2;
#endif
    return kSearch;
  }

#if defined(__x86_64__)
  [[gnu::target("avx512bw")]] static auto with_avx512(Arguments... arguments)
      -> std::invoke_result_t<decltype(kSearch), Arguments...> {
    return kSearch(arguments...);
  }
  [[gnu::target("avx2")]] static auto with_avx2(Arguments... arguments)
      -> std::invoke_result_t<decltype(kSearch), Arguments...> {
    return kSearch(arguments...);
  }
#endif
};

/// Finds one of two characters repeatedly.
/// Lifetime: points into the text.
class EitherSearch {
 public:
  EitherSearch(std::string_view text, char one, char other)
      : text_(text), one_(one), other_(other) {}

  /// The first position of either character, from `at` on. The text's size if there is none.
  /// Input: `at` is not before that of the last call.
  std::size_t next(std::size_t at) {
    while (at < text_.size()) {
      if (at >= block_end_) {
        const ByteBlock block(text_, at);
        found_ = block.equal(one_) | block.equal(other_);
        block_begin_ = at;
        block_end_ = at + ByteBlock::kBytes;
      }
      const std::uint64_t left = found_ >> (at - block_begin_);
      if (left != 0)
        return std::min(at + static_cast<std::size_t>(std::countr_zero(left)), text_.size());
      at = block_end_;
    }
    return text_.size();
  }

 private:
  std::string_view text_;
  char one_, other_;
  std::uint64_t found_ = 0;  ///< Hits in the current block.
  std::size_t block_begin_ = 0, block_end_ = 0;
};

}  // namespace bartizan
