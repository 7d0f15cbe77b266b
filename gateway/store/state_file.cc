#include "gateway/store/state_file.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit_file.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0600;
/// A pipe in its place must not block the open.
constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kApplicationAt = 68;
constexpr std::size_t kHeaderBytes = 100;
/// The files that SQLite puts beside a database. The first has commits that are not in the database
/// yet.
constexpr std::string_view kWriteAhead = "-wal";
constexpr std::array<std::string_view, 3> kCompanions = {kWriteAhead, "-journal", "-shm"};

std::unexpected<Error> refused(const std::string& path, std::string_view why) {
  return fail(ErrorCode::io_failed, Fault::gateway, fmt::format("state file {} {}", path, why));
}

/// To be called while `errno` is that of what failed.
std::unexpected<Error> failed(const std::string& path, std::string_view what) {
  const int error = errno;
  if (error == ELOOP) return refused(path, "is a symbolic link, which is not followed");
  if (error == EISDIR) return refused(path, "is a folder: name a file in it, such as state.db");
  return refused(path, fmt::format("{}: {}", what, std::system_category().message(error)));
}

/// Answers its size.
Result<std::uint64_t> examine(int descriptor, const std::string& path) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return failed(path, "cannot be examined");
  if (S_ISDIR(status.st_mode)) return refused(path, "is a folder: name a file in it");
  if (!S_ISREG(status.st_mode)) return refused(path, "is not a regular file");
  if (status.st_uid != ::geteuid()) return refused(path, "belongs to somebody else");
  if ((status.st_mode & 077) != 0) return refused(path, "is open to others: chmod 600");
  if (status.st_nlink > 1) return refused(path, "has another name, by which others may reach it");
  return static_cast<std::uint64_t>(status.st_size);
}

/// Sizes of what stands beside it; nothing for what does not.
Result<std::uint64_t> write_ahead_bytes(const std::string& path) {
  std::uint64_t bytes = 0;
  for (const std::string_view companion : kCompanions) {
    const std::string beside = path + std::string(companion);
    const Descriptor descriptor(::open(beside.c_str(), kFlags));
    if (descriptor.get() < 0 && errno == ENOENT) continue;
    if (descriptor.get() < 0) return failed(beside, "cannot be opened");
    const Result<std::uint64_t> size = examine(descriptor.get(), beside);
    if (!size.has_value()) return size;
    if (companion == kWriteAhead) bytes = *size;
  }
  return bytes;
}

/// Whether a file that holds something is a state file, by what every one of them begins with.
Result<void> check_header(int descriptor, const std::string& path) {
  std::array<char, kHeaderBytes> header{};
  const ssize_t got = ::pread(descriptor, header.data(), header.size(), 0);
  if (got < 0) return failed(path, "cannot be read");
  const std::string_view text(header.data(), static_cast<std::size_t>(got));
  if (text.size() < kHeaderBytes || !text.starts_with(kMagic)) {
    return refused(path,
                   "is not a SQLite database, and nothing is written to it: name another file");
  }
  std::uint32_t application = 0;
  for (const char byte : text.substr(kApplicationAt, 4))
    application = application << 8 | static_cast<unsigned char>(byte);
  if (application == kStateApplication) return {};
  return refused(path,
                 "is the database of another program, and nothing is written to it: name "
                 "another file");
}

/// Makes it. A new file outlives a loss of power only once its folder was written, too.
Result<Descriptor> make(const std::string& path) {
  Descriptor made(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kFileMode));
  if (made.get() < 0) return failed(path, "cannot be made");
  const Result<void> synced = sync_folder(path);
  if (!synced.has_value()) return refused(path, synced.error().detail);
  return made;
}

/// Links in folders on the way are the machine's business; SQLite would refuse them, too.
Result<std::string> real_path(const std::string& path) {
  const fs::path named(path);
  std::error_code error;
  const fs::path folder =
      fs::canonical(named.has_parent_path() ? named.parent_path() : fs::path("."), error);
  if (error == std::errc::no_such_file_or_directory) {
    return refused(path, "has no folder: make it, the gateway makes the file only");
  }
  if (error) return refused(path, fmt::format("has a folder that fails: {}", error.message()));
  return (folder / named.filename()).string();
}

}  // namespace

Result<StateFile> StateFile::open(const std::string& path) {
  const Result<std::string> real = real_path(path);
  if (!real.has_value()) return std::unexpected(real.error());
  Descriptor descriptor(::open(real->c_str(), kFlags));
  if (descriptor.get() < 0) {
    if (errno != ENOENT) return failed(path, "cannot be opened");
    // Commits in the write-ahead log are useless without their file.
    const Result<std::uint64_t> beside = write_ahead_bytes(*real);
    if (!beside.has_value()) return std::unexpected(beside.error());
    if (*beside > 0) {
      return refused(path, fmt::format("is gone, though {}{} is there, which belongs to it: put it "
                                       "back, or move both away",
                                       path, kWriteAhead));
    }
    Result<Descriptor> made = make(*real);
    if (!made.has_value()) return std::unexpected(made.error());
    descriptor = std::move(*made);
  }
  const Result<std::uint64_t> size = examine(descriptor.get(), path);
  if (!size.has_value()) return std::unexpected(size.error());
  if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed(path, "cannot be locked");
    return refused(path,
                   "is used by another process: give each gateway one of its own, by [state] "
                   "file");
  }
  const Result<std::uint64_t> beside = write_ahead_bytes(*real);
  if (!beside.has_value()) return std::unexpected(beside.error());
  if (*size == 0 && *beside > 0) {
    return refused(path, fmt::format("is empty, though {}{} is not, which belongs to it: put it "
                                     "back, or move both away",
                                     path, kWriteAhead));
  }
  if (*size > 0) {
    const Result<void> ours = check_header(descriptor.get(), path);
    if (!ours.has_value()) return std::unexpected(ours.error());
  }
  return StateFile(std::move(descriptor), *real);
}

bool StateFile::is_in_place() const {
  struct stat own{};
  struct stat named{};
  return ::fstat(descriptor_.get(), &own) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

}  // namespace bartizan
