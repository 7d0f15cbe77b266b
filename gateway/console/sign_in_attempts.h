#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bartizan {

namespace limits {
/// The most invalid keys per minute, of one address and in total. A key has 256 random bits; this
/// bounds the cost of guesses.
inline constexpr std::uint32_t failed_sign_ins_per_address_max = 20;
inline constexpr std::uint32_t failed_sign_ins_max = 200;
inline constexpr std::chrono::seconds failed_sign_ins_period{60};
/// The most addresses that are counted separately. For others only the total counts.
inline constexpr std::size_t failed_sign_in_addresses_max = 256;
}  // namespace limits

/// Counts failed attempts to sign in. State as a value, time as an argument.
///
/// Threads: one at a time. Bounded by `limits::failed_sign_in_addresses_max`.
class SignInAttempts {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long that address must wait before its next key is checked; zero for no wait.
  std::chrono::seconds wait_of(std::string_view address, Clock::time_point now);
  void count_failure(std::string_view address, Clock::time_point now);

 private:
  void reset_window(Clock::time_point now);

  Clock::time_point begun_{};  ///< Of the current period, which all addresses share.
  std::uint32_t failed_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> by_address_;
};

}  // namespace bartizan
