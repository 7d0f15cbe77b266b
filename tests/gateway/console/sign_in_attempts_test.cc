#include "gateway/console/sign_in_attempts.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

using std::chrono::seconds;

const SignInAttempts::Clock::time_point kBegin{std::chrono::hours(1)};

TEST(SignInAttempts, OfOneAddressAreBoundedAMinute) {
  SignInAttempts attempts;
  for (std::uint32_t i = 0; i < limits::failed_sign_ins_per_address_max; ++i) {
    EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin), seconds(0));
    attempts.count_failure("192.0.2.1", kBegin);
  }
  EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin), seconds(60));
  EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin + seconds(59)), seconds(1));
  EXPECT_EQ(attempts.wait_of("192.0.2.2", kBegin), seconds(0));
  EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin + seconds(60)), seconds(0));
}

TEST(SignInAttempts, OfAllAddressesAreBoundedTogether) {
  SignInAttempts attempts;
  for (std::uint32_t i = 0; i < limits::failed_sign_ins_max; ++i) {
    EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin), seconds(0));
    attempts.count_failure("a" + std::to_string(i), kBegin);
  }
  EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin), seconds(60));
  EXPECT_EQ(attempts.wait_of("192.0.2.1", kBegin + seconds(60)), seconds(0));
}

}  // namespace
}  // namespace bartizan
