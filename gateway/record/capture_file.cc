#include "gateway/record/capture_file.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/learn/capture.h"

namespace bartizan {
namespace {

constexpr mode_t kFileMode = 0600;
/// A pipe in its place must not block the open.
constexpr int kFlags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/// More than the line that begins a file.
constexpr std::size_t kFirstLineMax = 1024;

std::unexpected<Error> refused(const std::string& path, const std::string& why) {
  return fail(ErrorCode::io_failed, Fault::gateway, "capture " + path + " " + why);
}

/// To be called while `errno` is that of what failed.
std::unexpected<Error> failed(const std::string& path, const std::string& what) {
  if (errno == ELOOP) return refused(path, "is a symbolic link, which is not followed");
  return refused(path, what + ": " + std::system_category().message(errno));
}

/// The first line of the file.
std::string first_line(int descriptor) {
  std::string text(kFirstLineMax, '\0');
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text.substr(0, text.find('\n'));
}

Result<struct stat> examine(int descriptor, const std::string& path) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return failed(path, "cannot be examined");
  if (!S_ISREG(status.st_mode)) return refused(path, "is not a regular file");
  if (status.st_uid != ::geteuid()) return refused(path, "belongs to somebody else");
  if ((status.st_mode & 077) != 0) {
    return refused(path, "is open to others, and calls hold whatever people send: chmod 600");
  }
  if (status.st_nlink > 1) return refused(path, "has another name, by which others may reach it");
  return status;
}

}  // namespace

std::string older_capture(const std::string& path) {
  return path + ".1";
}

Result<std::unique_ptr<CaptureFile>> CaptureFile::open(const std::string& path) {
  // The constructor is private, so that there is none that is not open.
  std::unique_ptr<CaptureFile> file(new CaptureFile(path));
  const Result<void> taken = file->take();
  if (!taken.has_value()) return std::unexpected(taken.error());
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::faccessat(AT_FDCWD, folder.empty() ? "." : folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return failed(path, "is in a folder that cannot be written, where it is to be renamed");
  }
  // The file in the place of the older half is checked now, not when it is replaced.
  const int older = ::open(older_capture(path).c_str(), kFlags);
  if (older < 0) {
    if (errno != ENOENT) return failed(older_capture(path), "cannot be opened");
    return file;
  }
  const auto status = examine(older, older_capture(path));
  const bool is_capture = read_run_time(first_line(older)).has_value();
  ::close(older);
  if (!status.has_value()) return std::unexpected(status.error());
  if (status->st_size > 0 && !is_capture) {
    return refused(older_capture(path), "is not a capture, and would be replaced by one");
  }
  return file;
}

Result<void> CaptureFile::take() {
  descriptor_ = ::open(path_.c_str(), kFlags | O_CREAT, kFileMode);
  if (descriptor_ < 0) {
    if (errno == ENOENT) return refused(path_, "has no folder: make it");
    return failed(path_, "cannot be opened");
  }
  const auto status = examine(descriptor_, path_);
  if (!status.has_value()) return std::unexpected(status.error());
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    return refused(path_, "is written by another process: give each gateway one of its own");
  }
  size_ = static_cast<std::uint64_t>(status->st_size);
  if (size_ == 0) return {};
  began_ms_ = read_run_time(first_line(descriptor_));
  if (!began_ms_.has_value()) return refused(path_, "is not a capture, and nothing is added to it");
  // A killed process may have left half a line.
  char last = '\n';
  if (::pread(descriptor_, &last, 1, static_cast<off_t>(size_ - 1)) == 1 && last != '\n') {
    return append("\n", 0);
  }
  return {};
}

void CaptureFile::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  size_ = 0;
  began_ms_.reset();
}

CaptureFile::~CaptureFile() {
  close();
}

bool CaptureFile::is_in_place() const {
  struct stat own{};
  struct stat named{};
  return ::fstat(descriptor_, &own) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

Result<void> CaptureFile::append(std::string_view lines, std::int64_t time_ms) {
  if (descriptor_ < 0) return refused(path_, "is not open");
  ssize_t written = -1;
  do
    written = ::write(descriptor_, lines.data(), lines.size());
  while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(lines.size())) {
    if (size_ == 0) began_ms_ = time_ms;
    size_ += lines.size();
    return {};
  }
  const auto error = written < 0 ? failed(path_, "cannot be written")
                                 : refused(path_, "has no room for what is to be written");
  if (written > 0 && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    // Half a line stays, and what follows must not continue it.
    size_ += static_cast<std::uint64_t>(written);
    static_cast<void>(::write(descriptor_, "\n", 1));
  }
  return error;
}

Result<void> CaptureFile::retake() {
  close();
  const Result<void> taken = take();
  if (!taken.has_value()) close();
  return taken;
}

Result<void> CaptureFile::rotate() {
  if (!is_in_place()) return retake();
  if (::rename(path_.c_str(), older_capture(path_).c_str()) != 0) {
    return failed(path_, "cannot be renamed");
  }
  return retake();
}

Result<void> CaptureFile::empty() {
  if (descriptor_ < 0) return {};
  if (::ftruncate(descriptor_, 0) != 0) return failed(path_, "cannot be emptied");
  size_ = 0;
  began_ms_.reset();
  return {};
}

Result<void> CaptureFile::drop_older(std::int64_t before_ms) const {
  const std::string path = older_capture(path_);
  const int older = ::open(path.c_str(), kFlags);
  if (older < 0) return {};
  const auto began_ms = read_run_time(first_line(older));
  const bool is_old = began_ms.has_value() && *began_ms < before_ms;
  Result<void> done;
  if (is_old && ::unlink(path.c_str()) != 0) {
    done = failed(path, "cannot be removed");
    // Its folder cannot be written; the file itself can.
    if (::ftruncate(older, 0) != 0) done = failed(path, "can neither be removed nor emptied");
  }
  ::close(older);
  return done;
}

}  // namespace bartizan
