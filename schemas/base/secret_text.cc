#include "schemas/base/secret_text.h"

#include <cstring>
#include <new>

#include <openssl/crypto.h>

namespace bartizan {
namespace {

/// Both are powers of two, as the secure heap requires.
constexpr std::size_t kHeapBytes = std::size_t{256} << 10;
constexpr std::size_t kLeastHeapBytes = std::size_t{32} << 10;
constexpr std::size_t kSmallestBytes = 32;

}  // namespace

SecretText::SecretText(std::string_view text) : size_(text.size()) {
  if (text.empty()) return;
  text_ = static_cast<char*>(OPENSSL_secure_malloc(text.size()));
  // The secure heap is full or was never made: the secret is kept in ordinary memory, and wiped.
  if (text_ == nullptr) text_ = static_cast<char*>(OPENSSL_malloc(text.size()));
  if (text_ == nullptr) throw std::bad_alloc();
  std::memcpy(text_, text.data(), text.size());
}

SecretText::~SecretText() {
  // Also wipes and frees memory outside the secure heap.
  OPENSSL_secure_clear_free(text_, size_);
}

bool keep_secrets_locked() {
  for (std::size_t bytes = kHeapBytes; bytes >= kLeastHeapBytes; bytes /= 2) {
    const int made = CRYPTO_secure_malloc_init(bytes, kSmallestBytes);
    if (made == 1) return true;
    // 2: made, but not locked. A smaller one may be within the limit.
    if (made == 2 && bytes > kLeastHeapBytes) CRYPTO_secure_malloc_done();
  }
  return false;
}

void wipe(char* bytes, std::size_t size) {
  OPENSSL_cleanse(bytes, size);
}

}  // namespace bartizan
