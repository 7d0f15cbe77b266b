#include "gateway/token/edwards_point.h"

#include <openssl/bn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace bartizan {
namespace {

struct Free {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
};
using Number = std::unique_ptr<BIGNUM, Free>;

constexpr const char* kPrime = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed";
/// The curve's d, -121665/121666 modulo the prime.
constexpr const char* kD = "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3";
/// The y of the points whose order is 4, 1, 2 and 8. The last two, of order 8, sum to the prime.
constexpr std::array<const char*, 5> kSmallOrders{
    "0", "1", "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
    "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
    "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7"};

Number from_hex(const char* digits) {
  BIGNUM* number = nullptr;
  BN_hex2bn(&number, digits);
  return Number(number);
}

/// Whether some x has x² = (y² - 1) / (d y² + 1).
bool has_x(const BIGNUM* y, const BIGNUM* prime) {
  const std::unique_ptr<BN_CTX, Free> context(BN_CTX_new());
  const Number d = from_hex(kD);
  const Number square(BN_new());
  const Number above(BN_new());
  const Number below(BN_new());
  const Number product(BN_new());
  if (context == nullptr || d == nullptr || square == nullptr || above == nullptr ||
      below == nullptr || product == nullptr) {
    return false;
  }
  const bool is_computed =
      BN_mod_sqr(square.get(), y, prime, context.get()) == 1 &&
      BN_mod_sub(above.get(), square.get(), BN_value_one(), prime, context.get()) == 1 &&
      BN_mod_mul(below.get(), square.get(), d.get(), prime, context.get()) == 1 &&
      BN_mod_add(below.get(), below.get(), BN_value_one(), prime, context.get()) == 1 &&
      // A quotient is a square if the product is one. This needs no inverse.
      BN_mod_mul(product.get(), above.get(), below.get(), prime, context.get()) == 1;
  if (!is_computed) return false;
  const int symbol = BN_kronecker(product.get(), prime, context.get());
  return symbol == 0 || symbol == 1;
}

}  // namespace

bool is_edwards_point(std::string_view bytes) {
  if (bytes.size() != 32) return false;
  std::array<std::uint8_t, 32> big_endian{};
  std::ranges::reverse_copy(bytes, big_endian.begin());
  big_endian.front() &= 0x7f;  // The sign of x.
  const Number y(BN_bin2bn(big_endian.data(), static_cast<int>(big_endian.size()), nullptr));
  const Number prime = from_hex(kPrime);
  if (y == nullptr || prime == nullptr || BN_cmp(y.get(), prime.get()) >= 0) return false;
  for (const char* digits : kSmallOrders) {
    const Number small = from_hex(digits);
    if (small == nullptr || BN_cmp(y.get(), small.get()) == 0) return false;
  }
  return has_x(y.get(), prime.get());
}

}  // namespace bartizan
