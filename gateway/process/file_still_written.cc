#include "gateway/process/file_still_written.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "gateway/process/descriptor.h"

namespace bartizan {
namespace {

using std::chrono::system_clock;

/// A read lease is refused while a process has the file open for writing. It is returned at once. A
/// process that opens the file in between waits that long, and SIGIO is ignored.
bool is_open_for_writing(int file) {
  if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    fcntl(file, F_SETLEASE, F_UNLCK);
    return false;
  }
  return errno == EAGAIN;
}

bool is_young(int file, std::chrono::milliseconds quiet, system_clock::time_point now) {
  struct stat status{};
  if (fstat(file, &status) != 0) return false;
  const auto written = system_clock::from_time_t(status.st_mtim.tv_sec) +
                       std::chrono::duration_cast<system_clock::duration>(
                           std::chrono::nanoseconds(status.st_mtim.tv_nsec));
  // A time to come, of another machine's clock, says nothing.
  return written <= now && now - written < quiet;
}

}  // namespace

std::optional<std::string> find_unfinished_file(const std::vector<std::string>& files,
                                                std::chrono::milliseconds quiet,
                                                system_clock::time_point now) {
  const auto is_unfinished = [&](const std::string& name) {
    const Descriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    return file.get() >= 0 && (is_open_for_writing(file.get()) || is_young(file.get(), quiet, now));
  };
  const auto found = std::ranges::find_if(files, is_unfinished);
  if (found == files.end()) return std::nullopt;
  return *found;
}

}  // namespace bartizan
