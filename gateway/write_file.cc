#include "gateway/write_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "gateway/child_process.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

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
  if (!error) error = place(draft);
  if (error) ::unlink(draft.c_str());
  return error;
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
