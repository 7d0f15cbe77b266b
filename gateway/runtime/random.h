#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "audit/digest.h"

namespace bartizan {

/// Unpredictable bytes from the kernel, drawn in blocks so that an id costs no system call.
///
/// Threads: one each.
/// Errors:  none. If random bytes cannot be drawn, the process ends, since nothing would be safe
///          afterwards.
class Random {
 public:
  template <std::size_t Size>
  std::array<std::uint8_t, Size> draw() {
    static_assert(Size <= kBlockBytes);
    std::array<std::uint8_t, Size> bytes;
    fill(bytes);
    return bytes;
  }

 private:
  /// The most bytes of a kernel call that no signal interrupts.
  static constexpr std::size_t kBlockBytes = 256;

  void fill(std::span<std::uint8_t> bytes);

  std::array<std::uint8_t, kBlockBytes> block_{};
  std::size_t left_ = 0;
};

/// A keyed digest of values that records must bind but not reveal.
///
/// Threads: any; immutable.
class KeyedDigest {
 public:
  explicit KeyedDigest(std::string_view key) : hmac_(key) {}
  /// HMAC-SHA-256. Cost: about 0.3 µs for 300 B.
  Hash digest(std::string_view bytes) const { return hmac_.digest(bytes); }
  /// A digest as lower-case hex.
  static std::string hex(const Hash& digest);

 private:
  Hmac hmac_;
};

}  // namespace bartizan
