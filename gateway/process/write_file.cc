#include "gateway/process/write_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <thread>

#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() {
  return {errno, std::system_category()};
}

std::error_code write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return {errno, std::system_category()};
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

/// Writes a draft beside the file, which `place` then gives its name.
template <class Place>
std::error_code write_draft(const fs::path& path, std::string_view text, Place&& place) {
  std::string draft = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(draft.data(), O_CLOEXEC));
  if (file.get() < 0) return {errno, std::system_category()};
  std::error_code error = write_all(file.get(), text);
  // A name must not lead to bytes that a loss of power takes away.
  if (!error && ::fsync(file.get()) != 0) error = last_error();
  if (!error) error = place(draft);
  if (error) ::unlink(draft.c_str());
  return error;
}

/// Waits until no other program replaces files of that folder. The descriptor holds it off.
Descriptor hold_folder(const fs::path& folder) {
  constexpr std::chrono::milliseconds kPause{20};
  const auto deadline = steady_now() + limits::replace_file_deadline;
  Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (held.get() >= 0 && ::flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
    const bool is_waiting = errno == EWOULDBLOCK || errno == EINTR;
    if (is_waiting && steady_now() >= deadline) errno = ETIMEDOUT;
    if (!is_waiting || errno == ETIMEDOUT) return Descriptor();
    std::this_thread::sleep_for(kPause);
  }
  return held;
}

std::optional<std::string> read_present(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Gives a draft the access rights of `like`, as far as its writer may, without the right to
/// execute.
std::error_code resemble(const std::string& draft, const fs::path& like) {
  constexpr ::mode_t kReadAndWrite = 0666;
  struct ::stat its = {};
  struct ::stat own = {};
  if (::stat(like.c_str(), &its) != 0 || ::stat(draft.c_str(), &own) != 0) return last_error();
  const bool is_mine = own.st_uid == its.st_uid && own.st_gid == its.st_gid;
  // An account other than root can give files only to its own groups.
  const bool is_given = is_mine || ::chown(draft.c_str(), its.st_uid, its.st_gid) == 0 ||
                        ::chown(draft.c_str(), own.st_uid, its.st_gid) == 0;
  if (!is_given && errno != EPERM) return last_error();
  if (::chmod(draft.c_str(), its.st_mode & kReadAndWrite) != 0) return last_error();
  return {};
}

/// Some file systems, and some policies of a kernel, have no second names.
bool has_no_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

}  // namespace

std::error_code move_to_free_name(const fs::path& from, const fs::path& to) {
  // By its number: the C library's own function came later than the call.
  const auto moved =
      ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (moved == 0) return {};
  return {errno, std::system_category()};
}

std::error_code replace_file(const fs::path& path, const std::optional<std::string>& before,
                             std::string_view text, const fs::path& like) {
  std::error_code error;
  const bool is_there = fs::exists(path, error);
  // Somebody made that link because the file is wanted at its target.
  if (!is_there && fs::is_symlink(path, error)) {
    return std::make_error_code(std::errc::no_such_file_or_directory);
  }
  // Where the name is a link, what it leads to is replaced.
  error.clear();
  const fs::path target = is_there ? fs::canonical(path, error) : path;
  if (error) return error;
  const Descriptor held = hold_folder(target.has_parent_path() ? target.parent_path() : ".");
  if (held.get() < 0) return last_error();
  if (read_present(target) != before) {
    return std::make_error_code(std::errc::operation_canceled);
  }
  return write_draft(target, text, [&](const std::string& draft) {
    std::error_code failed = resemble(draft, before.has_value() ? target : like);
    if (!failed) fs::rename(draft, target, failed);
    if (!failed && ::fsync(held.get()) != 0) failed = last_error();
    return failed;
  });
}

std::error_code write_file(const fs::path& path, std::string_view text) {
  return write_draft(path, text, [&path](const std::string& draft) {
    std::error_code error;
    fs::rename(draft, path, error);
    return error;
  });
}

std::error_code write_new_file(const fs::path& path, std::string_view text) {
  return write_draft(path, text, [&path](const std::string& draft) -> std::error_code {
    if (::link(draft.c_str(), path.c_str()) != 0) {
      const int error = errno;
      return has_no_links(error) ? move_to_free_name(draft, path)
                                 : std::error_code(error, std::system_category());
    }
    // It is whole under its name, and a draft that is left stands there under another.
    if (::unlink(draft.c_str()) != 0) return {errno, std::system_category()};
    return {};
  });
}

}  // namespace bartizan
