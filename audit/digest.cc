#include "audit/digest.h"

#include <cstddef>

namespace bartizan {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// -1 for what is no lower-case digit: one hash has one spelling.
int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

}  // namespace

Digester::Digester()
    : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {}

Hash Digester::sha256(std::span<const std::string_view> parts) {
  Hash hash{};
  bool done = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1;
  for (const std::string_view part : parts) {
    done = done && EVP_DigestUpdate(context_.get(), part.data(), part.size()) == 1;
  }
  done = done && EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) == 1;
  return done ? hash : Hash{};
}

std::array<char, 64> hex_text(const Hash& hash) {
  std::array<char, 64> text;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    text[2 * i] = kDigits[hash[i] >> 4];
    text[2 * i + 1] = kDigits[hash[i] & 15];
  }
  return text;
}

std::optional<Hash> parse_hex(std::string_view text) {
  Hash hash{};
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const int high = digit_value(text[2 * i]);
    const int low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    hash[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return hash;
}

}  // namespace bartizan
