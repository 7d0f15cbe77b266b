#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace bartizan {

/// A secret that is kept for a long time. It is in locked memory, so that it is not written to a
/// swap file, and is wiped when its owner ends. If no locked memory is left (see
/// `keep_secrets_locked`), it is in ordinary memory, and wiped as well.
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

  /// Lifetime: that of this object.
  std::string_view view() const { return {text_, size_}; }
  bool empty() const { return size_ == 0; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
};

/// Creates the locked memory for secrets and OpenSSL's private keys: 256 KiB, or as much as the
/// process may lock. It is also excluded from core files. Called once, before there is a secret or
/// a second thread.
/// Returns whether the memory is locked. It is not if the limit of locked memory is too low.
bool keep_secrets_locked();

/// Overwrites memory that held a secret briefly.
void wipe(char* bytes, std::size_t size);

}  // namespace bartizan
