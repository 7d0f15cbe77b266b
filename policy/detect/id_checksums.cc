#include "policy/detect/id_checksums.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <optional>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

unsigned digit(char c) {
  return static_cast<unsigned>(c - '0');
}

constexpr std::uint8_t kVerhoeffProducts[10][10] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 0, 6, 7, 8, 9, 5}, {2, 3, 4, 0, 1, 7, 8, 9, 5, 6},
    {3, 4, 0, 1, 2, 8, 9, 5, 6, 7}, {4, 0, 1, 2, 3, 9, 5, 6, 7, 8}, {5, 9, 8, 7, 6, 0, 4, 3, 2, 1},
    {6, 5, 9, 8, 7, 1, 0, 4, 3, 2}, {7, 6, 5, 9, 8, 2, 1, 0, 4, 3}, {8, 7, 6, 5, 9, 3, 2, 1, 0, 4},
    {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};
constexpr std::uint8_t kVerhoeffPlaces[8][10] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 5, 7, 6, 2, 8, 3, 0, 9, 4}, {5, 8, 0, 3, 7, 9, 6, 1, 4, 2},
    {8, 9, 1, 6, 0, 4, 3, 5, 2, 7}, {9, 4, 5, 3, 1, 2, 6, 8, 7, 0}, {4, 2, 8, 6, 5, 7, 3, 9, 0, 1},
    {2, 7, 9, 3, 8, 0, 6, 4, 1, 5}, {7, 0, 4, 6, 9, 1, 3, 2, 5, 8}};

constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::string_view kBech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// Version, hash and digest.
constexpr std::size_t kAddressBytes = 25;
using AddressBytes = std::array<std::uint8_t, kAddressBytes>;

/// Nothing if the number needs more bytes, or has invalid digits.
std::optional<AddressBytes> read_base58(std::string_view text) {
  AddressBytes bytes{};
  for (const char c : text) {
    const std::size_t value = kBase58.find(c);
    if (value == kBase58.npos) return std::nullopt;
    auto carry = static_cast<unsigned>(value);
    for (std::size_t i = bytes.size(); i > 0; --i) {
      carry += 58U * bytes[i - 1];
      bytes[i - 1] = static_cast<std::uint8_t>(carry & 0xffU);
      carry >>= 8U;
    }
    if (carry != 0) return std::nullopt;
  }
  return bytes;
}

std::uint32_t step(std::uint32_t state, std::uint32_t value) {
  constexpr std::uint32_t kGenerator[] = {0x3b6a57b2U, 0x26508e6dU, 0x1ea119faU, 0x3d4233ddU,
                                          0x2a1462b3U};
  const std::uint32_t top = state >> 25U;
  state = ((state & 0x1ffffffU) << 5U) ^ value;
  for (unsigned i = 0; i < 5; ++i) {
    if (((top >> i) & 1U) != 0) state ^= kGenerator[i];
  }
  return state;
}

}  // namespace

bool passes_luhn(std::string_view digits) {
  unsigned sum = 0;
  bool is_doubled = false;
  for (std::size_t i = digits.size(); i > 0; --i) {
    const unsigned value = digit(digits[i - 1]) * (is_doubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
    is_doubled = !is_doubled;
  }
  return sum % 10 == 0;
}

bool passes_verhoeff(std::string_view digits) {
  unsigned check = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const unsigned value = digit(digits[digits.size() - 1 - i]);
    check = kVerhoeffProducts[check][kVerhoeffPlaces[i % 8][value]];
  }
  return check == 0;
}

unsigned iban_remainder(std::string_view iban) {
  constexpr std::size_t kHead = 4;
  unsigned remainder = 0;
  for (std::size_t i = 0; i < iban.size(); ++i) {
    const char c = iban[(i + kHead) % iban.size()];
    remainder = is_digit(c) ? (remainder * 10 + digit(c)) % 97
                            : (remainder * 100 + static_cast<unsigned>(c - 'A') + 10) % 97;
  }
  return remainder;
}

unsigned weighted_sum(std::string_view digits, std::span<const std::uint8_t> weights) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < std::min(digits.size(), weights.size()); ++i)
    sum += digit(digits[i]) * weights[i];
  return sum;
}

bool is_base58_address(std::string_view text) {
  constexpr std::size_t kDigest = 4;
  const std::optional<AddressBytes> read = read_base58(text);
  if (!read.has_value()) return false;
  const AddressBytes& bytes = *read;
  // Every leading zero byte is written as `1`.
  const auto ones = text.find_first_not_of('1');
  const auto zeros = std::ranges::find_if(bytes, [](std::uint8_t b) { return b != 0; });
  if (ones != static_cast<std::size_t>(zeros - bytes.begin())) return false;
  constexpr std::uint8_t kKeyHash = 0;
  constexpr std::uint8_t kScriptHash = 5;
  if (bytes[0] != kKeyHash && bytes[0] != kScriptHash) return false;
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> once;
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> twice;
  SHA256(bytes.data(), kAddressBytes - kDigest, once.data());
  SHA256(once.data(), once.size(), twice.data());
  return std::equal(bytes.end() - kDigest, bytes.end(), twice.begin());
}

bool is_witness_address(std::string_view text) {
  constexpr std::size_t kHead = 3;  // `bc1`
  constexpr std::size_t kDigest = 6;
  constexpr std::size_t kBytesMin = 14;
  constexpr std::size_t kBytesMax = 74;
  if (text.size() < kBytesMin || text.size() > kBytesMax) return false;
  const bool is_lower_case = std::ranges::none_of(text, is_upper);
  if (!is_lower_case && std::ranges::any_of(text, is_lower)) return false;
  std::uint32_t state = 1;
  const char chain[] = {lower_case(text[0]), lower_case(text[1])};
  for (const char c : chain)
    state = step(state, static_cast<std::uint32_t>(c) >> 5U);
  state = step(state, 0);
  for (const char c : chain)
    state = step(state, static_cast<std::uint32_t>(c) & 31U);
  for (const char c : text.substr(kHead)) {
    const std::size_t value = kBech32.find(lower_case(c));
    if (value == kBech32.npos) return false;
    state = step(state, static_cast<std::uint32_t>(value));
  }
  if (text.size() < kHead + 1 + kDigest) return false;
  // Version 0 has the first kind of checksum, all others the second.
  constexpr std::uint32_t kFirst = 1;
  constexpr std::uint32_t kSecond = 0x2bc830a3U;
  return state == (lower_case(text[kHead]) == 'q' ? kFirst : kSecond);
}

}  // namespace bartizan
