#include "audit/audit_file.h"

#include <cerrno>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/file_name.h"

namespace bartizan {
namespace {

constexpr mode_t kFileMode = 0640;
constexpr int kFlags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

std::unexpected<Error> open_failed() {
  if (errno == ENOENT) return file_refused("its folder does not exist");
  if (errno == ELOOP) return file_refused("it is a symbolic link, which is not followed");
  return file_failed("cannot be opened");
}

Result<AuditFile::Ptr> locked(int descriptor) {
  auto file = std::make_shared<AuditFile>(descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return file_failed("cannot be examined");
  if (!S_ISREG(status.st_mode)) return file_refused("it is not a regular file");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) {
    return file_refused(
        "another process is writing it, and a record has one writer: "
        "give this one another, by --record or its configuration's [audit] file");
  }
  return file_failed("cannot be locked");
}

/// Must be called before `errno` of the write changes.
AuditFile::Written judge_written(ssize_t written, std::size_t wanted) {
  if (written < 0) return {.done = file_failed("cannot be written")};
  const auto bytes = static_cast<std::uint64_t>(written);
  if (bytes == wanted) return {.bytes = bytes};
  return {.bytes = bytes, .done = file_refused("only a part of a record could be written")};
}

}  // namespace

std::unexpected<Error> file_refused(const std::string& what) {
  return fail(ErrorCode::not_recordable, Fault::gateway, what);
}

std::unexpected<Error> file_failed(const std::string& what) {
  return file_refused(what + ": " + std::system_category().message(errno));
}

Result<AuditFile::Ptr> AuditFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), kFlags);
  if (descriptor >= 0) return locked(descriptor);
  if (errno == ENOENT) return Ptr();
  return open_failed();
}

Result<AuditFile::Ptr> AuditFile::create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kFileMode);
  if (descriptor < 0) return open_failed();
  return locked(descriptor);
}

AuditFile::~AuditFile() {
  ::close(descriptor_);
}

Result<std::uint64_t> AuditFile::size() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return file_failed("cannot be examined");
  return static_cast<std::uint64_t>(status.st_size);
}

bool AuditFile::is_at(const std::string& path) const {
  struct stat own{};
  struct stat named{};
  return ::fstat(descriptor_, &own) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

Result<void> AuditFile::check(std::uint64_t size) const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return file_failed("cannot be examined");
  if (status.st_nlink == 0) return file_refused("it was removed while it was written");
  const auto found = static_cast<std::uint64_t>(status.st_size);
  if (found < size) return file_refused("it is shorter than what was written to it");
  if (found > size) {
    return file_refused("somebody else has written to it, after byte " + std::to_string(size));
  }
  return {};
}

// A short write is not continued. The disk is full or the file is at its limit, so the rest would
// be refused as well.
AuditFile::Written AuditFile::append(std::string_view bytes) const {
  ssize_t written = -1;
  do
    written = ::write(descriptor_, bytes.data(), bytes.size());
  while (written < 0 && errno == EINTR);
  return judge_written(written, bytes.size());
}

AuditFile::Written AuditFile::write_over(std::uint64_t offset, std::string_view bytes) const {
  // pwrite() on a descriptor with O_APPEND appends at any offset, so this opens another descriptor.
  const std::string own = "/proc/self/fd/" + std::to_string(descriptor_);
  const int descriptor = ::open(own.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return {.done = file_failed("cannot be opened")};
  const AuditFile again(descriptor);
  ssize_t written = -1;
  do
    written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  while (written < 0 && errno == EINTR);
  return judge_written(written, bytes.size());
}

Result<void> AuditFile::shorten(std::uint64_t size) const {
  const auto found = this->size();
  if (!found) return std::unexpected(found.error());
  if (*found < size) return file_refused("it is shorter than what was written to it");
  if (*found == size || ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0) return {};
  return file_failed("a part of a record cannot be cut off");
}

Result<void> AuditFile::sync() const {
  if (::fdatasync(descriptor_) == 0) return {};
  auto failed = file_failed("cannot be made durable");
  // Bytes that were appended meanwhile may be affected too.
  const auto bytes = size();
  unsure_bytes_.store(bytes ? *bytes : std::numeric_limits<std::uint64_t>::max(),
                      std::memory_order_relaxed);
  return failed;
}

void AuditFile::write_back(std::uint64_t from, std::uint64_t to) const {
  static_cast<void>(::posix_fadvise(descriptor_, static_cast<off_t>(from),
                                    static_cast<off_t>(to - from), POSIX_FADV_DONTNEED));
}

Result<void> AuditFile::write_again(std::uint64_t offset, std::string_view bytes) const {
  return write_over(offset, bytes).done;
}

Result<void> sync_folder(const std::string& path) {
  const int descriptor = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return file_failed("its folder cannot be opened");
  const AuditFile folder(descriptor);
  if (::fsync(descriptor) == 0) return {};
  return file_failed("its folder cannot be made durable");
}

}  // namespace bartizan
