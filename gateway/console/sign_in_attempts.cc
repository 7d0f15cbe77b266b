#include "gateway/console/sign_in_attempts.h"

namespace bartizan {

std::chrono::seconds SignInAttempts::wait_of(std::string_view address, Clock::time_point now) {
  reset_window(now);
  const auto own = by_address_.find(address);
  const bool is_own_spent =
      own != by_address_.end() && own->second >= limits::failed_sign_ins_per_address_max;
  if (!is_own_spent && failed_ < limits::failed_sign_ins_max) return std::chrono::seconds(0);
  return std::chrono::ceil<std::chrono::seconds>(begun_ + limits::failed_sign_ins_period - now);
}

void SignInAttempts::count_failure(std::string_view address, Clock::time_point now) {
  reset_window(now);
  ++failed_;
  const auto own = by_address_.find(address);
  if (own != by_address_.end()) {
    ++own->second;
  } else if (by_address_.size() < limits::failed_sign_in_addresses_max) {
    by_address_.emplace(address, 1);
  }
}

void SignInAttempts::reset_window(Clock::time_point now) {
  if (now - begun_ < limits::failed_sign_ins_period) return;
  begun_ = now;
  failed_ = 0;
  by_address_.clear();
}

}  // namespace bartizan
