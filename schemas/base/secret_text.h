#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace bartizan {

/// A secret that is kept for long: in memory that is locked, so that it is not written to a swap
/// file, and wiped when its owner ends. Where the process has no such memory left (see
/// `keep_secrets_locked`), it is in ordinary memory, and wiped all the same.
///
/// Source: OpenSSL's secure heap, OPENSSL_secure_malloc(3); CWE-591, CWE-226.
class SecretText {
 public:
  SecretText() = default;
  explicit SecretText(std::string_view text);
  SecretText(const SecretText& other) : SecretText(other.view()) {}
  SecretText(SecretText&& other) noexcept
      : text_(std::exchange(other.text_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  SecretText& operator=(SecretText other) noexcept {
    std::swap(text_, other.text_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~SecretText();

  /// Lifetime: views this.
  std::string_view view() const { return {text_, size_}; }
  bool empty() const { return size_ == 0; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
};

/// Makes the locked memory that secrets, and OpenSSL's private keys, are kept in: 256 KiB, or what
/// the process may lock. Called once, before there is a secret and a second thread. Also keeps it
/// out of core files.
/// Answers whether the memory is locked; it is not where the limit of locked memory is too low.
bool keep_secrets_locked();

/// Overwrites what held a secret for a moment.
void wipe(char* bytes, std::size_t size);

}  // namespace bartizan
