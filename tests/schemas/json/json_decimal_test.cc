#include "schemas/json/json_decimal.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schemas/json/json_number.h"

namespace bartizan {
namespace {

struct Pair {
  std::string left, right;
  int order;
};

TEST(JsonDecimalTest, ComparesByValueHoweverNumbersAreSpelled) {
  const std::vector<Pair> pairs = {
      {"1", "1.0", 0},
      {"1", "10e-1", 0},
      {"0", "-0.0", 0},
      {"0e9", "0", 0},
      {"100", "1E2", 0},
      {"1", "2", -1},
      {"-1", "-2", 1},
      {"9", "10", -1},
      {"-0.5", "0.5", -1},
      {"0.1", "0.10000000000000000000000000000000001", -1},
      {"9007199254740993", "9007199254740992", 1},
      {"1e400", "1e401", -1},
      {"1e-400", "0", 1},
      {"123456789012345678901234567890", "123456789012345678901234567891", -1},
      {"1e99999999999999999999", "1", 1},
  };
  for (const Pair& pair : pairs) {
    const auto order = compare(JsonDecimal(pair.left), JsonDecimal(pair.right));
    const auto back = compare(JsonDecimal(pair.right), JsonDecimal(pair.left));
    EXPECT_EQ(order, pair.order <=> 0) << pair.left << " and " << pair.right;
    EXPECT_EQ(back, 0 <=> pair.order) << pair.right << " and " << pair.left;
  }
}

struct Multiple {
  std::string value, divisor;
  bool is_multiple;
};

TEST(JsonDecimalTest, DividesExactly) {
  const std::vector<Multiple> rows = {
      {"10", "5", true},
      {"10", "3", false},
      {"0", "7", true},
      {"4.5", "1.5", true},
      {"0.3", "0.1", true},
      {"0.35", "0.1", false},
      {"0.00751", "0.0001", false},
      {"0.0075", "0.0001", true},
      {"1e308", "0.123456789", false},
      {"1e308", "1e-308", true},
      {"-6", "2", true},
      {"12391239123", "1e-8", true},
      {"1e1000000000", "7", false},
      {"7e1000000000", "7", true},
      {"18446744073709551615", "5", true},
      {"100000000000000000000000000000000003", "3", false},
      {"100000000000000000000000000000000002", "3", true},
  };
  for (const Multiple& row : rows) {
    const auto divisor = DecimalDivisor::read(row.divisor);
    ASSERT_TRUE(divisor.has_value()) << row.divisor;
    EXPECT_EQ(divisor->divides(JsonDecimal(row.value)), row.is_multiple)
        << row.value << " by " << row.divisor;
  }
}

TEST(JsonDecimalTest, DividesByPositiveNumbersOfUpTo19Digits) {
  for (const std::string token : {"0", "0.0", "-1", "12345678901234567891"})
    EXPECT_FALSE(DecimalDivisor::read(token).has_value()) << token;
  for (const std::string token : {"1", "1e-9", "1234567890123456789", "10000000000000000000000"})
    EXPECT_TRUE(DecimalDivisor::read(token).has_value()) << token;
}

TEST(DoubleReading, IsWhatProgramsRoundNumbersTo) {
  const struct {
    std::string_view token, want;  ///< Empty where it is the same number.
  } cases[] = {
      {"0", ""},
      {"-0", ""},
      {"-0.0", ""},
      {"1", ""},
      {"9007199254740993", ""},
      {"18446744073709551615", ""},
      {"0.1", ""},
      {"19.99", ""},
      {"1e-7", ""},
      {"1.50", ""},
      {"1E3", ""},
      {"5e-324", ""},
      {"1.7976931348623157e308", ""},
      {"42.0000000000000000000001", "42"},
      {"-42.0000000000000000000001", "-42"},
      {"0.30000000000000000001", "0.3"},
      {"1e-400", "0"},
      {"-1e-400", "-0"},
      {"9007199254740993.0", "9007199254740992"},
      {"9007199254740993e0", "9007199254740992"},
      {"123456789012345678901234567890.5", "1.2345678901234568e+29"},
      {"-9223372036854775808", ""},
      {"18446744073709551616", ""},
      {"18446744073709551617", "18446744073709551616"},
      {"100000000000000000000", ""},
      {"100000000000000000001", "1e+20"},
      {"-9223372036854775809", "-9223372036854775808"},
      {"0.10000000000000", ""},
      {"123456789012.345", ""},
      {"123456789012345.6", ""},
      {"1234567890123456.7", "1234567890123456.8"},
      {"1e400", "1.7976931348623157e+308"},
      {"-1e400", "-1.7976931348623157e+308"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(double_reading(c.token).value_or(""), c.want) << c.token;
}

}  // namespace
}  // namespace bartizan
