#include "audit/chain_files.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit_file.h"
#include "audit/file_ends.h"
#include "audit/file_name.h"

namespace bartizan {
namespace {

/// A rotation between two looks adds a closed file that the first one did not see.
constexpr int kLooks = 3;

Result<ChainFile> summarise(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    const int error = errno;
    const bool is_there = error != ENOENT && error != ENOTDIR && error != ELOOP;
    if (!is_there) return file_failed("cannot be opened");
    return fail(ErrorCode::io_failed, Fault::gateway,
                path + ": cannot be opened: " + std::system_category().message(error));
  }
  const AuditFile file(descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return file_failed("cannot be examined");
  if (!S_ISREG(status.st_mode)) return file_refused("it is not a regular file");
  const auto end = read_end(descriptor, static_cast<std::uint64_t>(status.st_size));
  if (!end) return std::unexpected(end.error());
  if (end->size == 0) return ChainFile{.path = path};
  auto begin = read_begin(descriptor);
  if (!begin) return std::unexpected(begin.error());
  const auto ended = read_last_time(descriptor, end->size);
  if (!ended) return std::unexpected(ended.error());
  return ChainFile{.path = path,
                   .before = begin->before,
                   .previous = std::move(begin->previous),
                   .last = end->head,
                   .ended = *ended,
                   .device = status.st_dev,
                   .inode = status.st_ino};
}

/// The last file, if it can be read.
Result<ChainFile> live(const std::string& path) {
  auto found = summarise(path);
  for (int look = 1; look < kLooks && !found; ++look)
    found = summarise(path);
  return found;
}

/// The file before `file`, if it is the one that was continued.
Result<ChainFile> before(const std::string& path, const ChainFile& file) {
  if (!rotated_sequence(path, file.previous)) return file_refused("it names no closed file");
  auto found = summarise(folder_of(path) + file.previous);
  if (found && found->last != file.before) return file_refused("it is not the one that goes on");
  // Forged files could name each other in a loop.
  if (found && found->before.sequence >= file.before.sequence) {
    return file_refused("it begins after the one that continues it");
  }
  return found;
}

}  // namespace

Result<std::vector<ChainFile>> find_chain(const std::string& path) {
  auto last = live(path);
  if (!last) return std::unexpected(last.error());
  std::vector<ChainFile> files;
  files.push_back(std::move(*last));
  while (!files.back().previous.empty()) {
    auto found = before(path, files.back());
    if (!found) break;
    files.push_back(std::move(*found));
  }
  std::ranges::reverse(files);
  return files;
}

Result<std::optional<ChainFile>> find_chain_file(const std::string& path, std::uint64_t sequence) {
  auto file = live(path);
  while (file && file->before.sequence >= sequence) {
    if (file->previous.empty()) return std::nullopt;
    file = before(path, *file);
    // A file that exists but cannot be opened may be readable later.
    if (!file && file.error().code == ErrorCode::io_failed) break;
    // A missing file may have been removed or moved.
    if (!file) return std::nullopt;
  }
  if (!file) return std::unexpected(file.error());
  return std::optional(std::move(*file));
}

std::vector<std::string> chain_paths(const std::string& path) {
  const auto files = find_chain(path);
  if (!files) return {path};
  std::vector<std::string> paths;
  for (const ChainFile& file : *files)
    paths.push_back(file.path);
  return paths;
}

Result<void> remove_file(const ChainFile& file) {
  struct stat status{};
  if (::lstat(file.path.c_str(), &status) != 0) return file_failed("cannot be examined");
  if (status.st_dev != file.device || status.st_ino != file.inode) {
    return file_refused("another file has taken its name");
  }
  if (::unlink(file.path.c_str()) != 0) return file_failed("cannot be removed");
  return {};
}

}  // namespace bartizan
