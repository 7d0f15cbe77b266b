#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bartizan {

namespace limits {
/// Keys that are looked at which prove nobody, in a minute: of one address, and together. A key has
/// 256 random bits; this bounds what guessing costs.
inline constexpr std::uint32_t failed_sign_ins_per_address_max = 20;
inline constexpr std::uint32_t failed_sign_ins_max = 200;
inline constexpr std::chrono::seconds failed_sign_ins_period{60};
/// Addresses that are counted by themselves; beyond them the bound for all holds.
inline constexpr std::size_t failed_sign_in_addresses_max = 256;
}  // namespace limits

/// Counts attempts to sign in that failed. State as a value, time as an argument.
///
/// Threads: one at a time. Bounded by `limits::failed_sign_in_addresses_max`.
class SignInAttempts {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long that address has to wait before a key of it is looked at; zero where it need not.
  std::chrono::seconds wait_of(std::string_view address, Clock::time_point now);
  void count_failure(std::string_view address, Clock::time_point now);

 private:
  void reset_window(Clock::time_point now);

  Clock::time_point begun_{};  ///< Of the present period, which all addresses share.
  std::uint32_t failed_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> by_address_;
};

}  // namespace bartizan
