#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bartizan {

/// Unpredictable bytes from the kernel, drawn in blocks so that an id costs no system call.
///
/// Threads: one each. A process that cannot draw random bytes ends: nothing it did after that
/// would be safe.
class Random {
 public:
  void fill(std::span<std::uint8_t> bytes);
  template <std::size_t Size>
  std::array<std::uint8_t, Size> draw() {
    std::array<std::uint8_t, Size> bytes;
    fill(bytes);
    return bytes;
  }

 private:
  std::array<std::uint8_t, 256> block_{};
  std::size_t left_ = 0;
};

/// The keyed digest of what records must bind but not tell.
///
/// Threads: any; immutable.
class KeyedDigest {
 public:
  explicit KeyedDigest(std::string key) : key_(std::move(key)) {}
  /// HMAC-SHA-256. Cost: about 0.6 µs for 300 B.
  std::array<std::uint8_t, 32> digest(std::string_view bytes) const;
  /// The same as lower-case hex.
  static std::string hex(const std::array<std::uint8_t, 32>& digest);

 private:
  std::string key_;
};

}  // namespace bartizan
