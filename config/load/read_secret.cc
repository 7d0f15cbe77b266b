#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <string_view>

#include "config/load/load_config.h"
#include "config/problems.h"

namespace bartizan {
namespace {

constexpr std::size_t kSecretBytesMax = std::size_t{64} << 10;

std::unexpected<Error> refuse(const SecretReference& reference, std::string_view why) {
  const bool is_file = reference.kind == SecretReference::Kind::file;
  return fail(ErrorCode::config_invalid, Fault::gateway,
              fmt::format("secret {}:{} {}", is_file ? "file" : "env", quote(reference.name), why));
}

/// Editors and `echo` end a file with a line end.
std::string_view without_line_end(std::string_view secret) {
  if (secret.ends_with('\n')) secret.remove_suffix(1);
  return secret;
}

/// Closes a descriptor when its scope ends.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      // A FIFO must not block the start; its type is checked after opening.
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// The fault of the opened file, or nothing. Checks the descriptor, because the path could name
/// another file by now.
std::string_view find_file_fault(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return "cannot be read";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if ((status.st_mode & S_IRWXO) != 0) return "is open to everyone: take rights away with chmod o=";
  if (status.st_size > static_cast<off_t>(kSecretBytesMax)) return "is larger than 64 KiB";
  return {};
}

/// A buffer for the largest secret. It is wiped at the end of its scope.
class ReadBuffer {
 public:
  ReadBuffer() = default;
  ~ReadBuffer() { wipe(bytes_.data(), bytes_.size()); }
  ReadBuffer(const ReadBuffer&) = delete;
  ReadBuffer& operator=(const ReadBuffer&) = delete;
  std::span<char> rest() { return std::span(bytes_).subspan(size_); }
  void add(std::size_t count) { size_ += count; }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, kSecretBytesMax + 1> bytes_{};
  std::size_t size_ = 0;
};

Result<SecretText> read_all(const SecretReference& reference, int descriptor) {
  ReadBuffer secret;
  for (;;) {
    const std::span<char> rest = secret.rest();
    if (rest.empty()) return refuse(reference, "is larger than 64 KiB");
    const ssize_t count = ::read(descriptor, rest.data(), rest.size());
    if (count == 0) return SecretText(without_line_end(secret.view()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse(reference, "cannot be read");
    secret.add(static_cast<std::size_t>(count));
  }
}

Result<SecretText> read_file_secret(const SecretReference& reference) {
  const OpenFile file(reference.name);
  if (file.descriptor() < 0) return refuse(reference, "cannot be opened");
  const std::string_view fault = find_file_fault(file.descriptor());
  if (!fault.empty()) return refuse(reference, fault);
  return read_all(reference, file.descriptor());
}

Result<SecretText> read_environment_secret(const SecretReference& reference) {
  const char* value = std::getenv(reference.name.c_str());
  if (value == nullptr) return refuse(reference, "is not set");
  return SecretText(without_line_end(value));
}

}  // namespace

bool is_open_to_everyone(const SecretReference& reference) {
  struct stat status{};
  return reference.kind == SecretReference::Kind::file &&
         ::stat(reference.name.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_mode & S_IRWXO) != 0;
}

Result<SecretText> read_secret(const SecretReference& reference) {
  if (reference.kind == SecretReference::Kind::none) {
    return fail(ErrorCode::config_invalid, Fault::gateway, "no secret is named");
  }
  const bool is_file = reference.kind == SecretReference::Kind::file;
  Result<SecretText> secret =
      is_file ? read_file_secret(reference) : read_environment_secret(reference);
  if (secret.has_value() && secret->empty()) return refuse(reference, "is empty");
  return secret;
}

}  // namespace bartizan
