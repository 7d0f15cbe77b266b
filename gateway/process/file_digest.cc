#include "gateway/process/file_digest.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <span>
#include <vector>

#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

std::optional<std::string> digest_rest(const Descriptor& file, std::uint64_t bytes_max) {
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) return std::nullopt;
  std::vector<char> room(kReadBytes);
  std::uint64_t total = 0;
  while (true) {
    const ssize_t size = ::read(file.get(), room.data(), room.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    total += static_cast<std::uint64_t>(size);
    if (total > bytes_max) return std::string();
    EVP_DigestUpdate(context.get(), room.data(), static_cast<std::size_t>(size));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) return std::nullopt;
  return hex_of(std::span(digest).first(size));
}

}  // namespace bartizan
