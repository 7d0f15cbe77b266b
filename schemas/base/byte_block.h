#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace bartizan {

/// So many bytes, which are compared at once. What a comparison answers has a bit for each of them,
/// the lowest for the first.
///
/// Input: bytes that can all be read.
/// Cost: a few instructions of vectors, which every processor that we are built for has.
template <std::size_t kSize>
class ByteVector {
 public:
  using Hits = std::conditional_t<kSize == 64, std::uint64_t, std::uint16_t>;

  explicit ByteVector(const char* at) : bytes_(reinterpret_cast<const Anywhere*>(at)->bytes) {}

  Hits equal(char c) const { return bits(bytes_ == Bytes(c)); }
  /// Bytes below one of ASCII, and bytes that are not ASCII.
  Hits below(char c) const { return bits(bytes_ < Bytes(c)); }

 private:
  using Bytes = signed char __attribute__((ext_vector_type(kSize)));
  using Bits = bool __attribute__((ext_vector_type(kSize)));

  /// Read where it stands; std::memcpy is a call where sources are fortified.
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

/// Sixty-four bytes of a text. Where it ends, blanks go on.
///
/// Input: a place that is not beyond the text.
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

/// A search over blocks, compiled for wider vectors as well, which take fewer instructions for
/// each.
///
/// Input: `kSearch`, a function that is inlined by force, and the types of what it is given.
template <auto kSearch, class... Arguments>
class Widest {
 public:
  using Search = std::invoke_result_t<decltype(kSearch), Arguments...> (*)(Arguments...);

  /// The widest of them that this processor has.
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

/// Finds one of two characters again and again. Lifetime: views the text.
class EitherSearch {
 public:
  EitherSearch(std::string_view text, char one, char other)
      : text_(text), one_(one), other_(other) {}

  /// Where one of them stands first, from `at` on; the text's size where neither does.
  /// Input: `at` is not before where it was asked last.
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
  std::uint64_t found_ = 0;  ///< In the block that was looked at last.
  std::size_t block_begin_ = 0, block_end_ = 0;
};

}  // namespace bartizan
