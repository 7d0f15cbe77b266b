#include "gateway/record/read_capture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "gateway/process/descriptor.h"
#include "gateway/record/capture_file.h"

namespace bartizan {
namespace {

/// How often both files are opened anew because they changed places in between.
constexpr int kTriesMax = 16;

std::unexpected<Error> unreadable(const std::string& path, const std::string& why) {
  return fail(ErrorCode::io_failed, Fault::client, "capture " + path + " " + why);
}

/// Without a descriptor where there is no such file.
Result<Descriptor> open_to_read(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && errno != ENOENT) {
    return unreadable(path, "cannot be opened: " + std::system_category().message(errno));
  }
  return file;
}

/// Both files of a capture as they stood at one moment; either may be none.
struct OpenCapture {
  Descriptor newer, older;
};

/// Whether the newer file became the older one, or was replaced, while both were opened.
bool has_moved(const OpenCapture& files) {
  struct stat newer{};
  struct stat older{};
  if (files.newer.get() < 0 || ::fstat(files.newer.get(), &newer) != 0) return false;
  if (newer.st_nlink == 0) return true;
  return files.older.get() >= 0 && ::fstat(files.older.get(), &older) == 0 &&
         newer.st_dev == older.st_dev && newer.st_ino == older.st_ino;
}

Result<OpenCapture> open_capture(const std::string& path) {
  // A gateway that goes on writing puts one file in the other's place now and then.
  for (int tries = 0; tries < kTriesMax; ++tries) {
    Result<Descriptor> newer = open_to_read(path);
    if (!newer.has_value()) return std::unexpected(newer.error());
    Result<Descriptor> older = open_to_read(older_capture(path));
    if (!older.has_value()) return std::unexpected(older.error());
    OpenCapture files{*std::move(newer), *std::move(older)};
    if (has_moved(files)) continue;
    if (files.newer.get() < 0 && files.older.get() < 0) {
      return unreadable(path, "cannot be opened: " + std::system_category().message(ENOENT));
    }
    return files;
  }
  return unreadable(path, "is replaced faster than it can be opened");
}

/// Reads line by line in bounded memory: one that is too long is none, and is told to the reader
/// in part.
Result<void> read_lines(const Descriptor& file, const std::string& path, CaptureReader& reader) {
  if (file.get() < 0) return {};
  std::string block(std::size_t{256} << 10, '\0');
  std::string line;
  bool is_too_long = false;
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return unreadable(path, "cannot be read: " + std::system_category().message(errno));
    }
    if (got == 0) break;
    std::string_view rest(block.data(), static_cast<std::size_t>(got));
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (!is_too_long) line += rest.substr(0, end);
      is_too_long = line.size() > kCaptureLineMax;
      if (end == std::string_view::npos) break;
      reader.read(is_too_long ? std::string_view(line).substr(0, 64) : std::string_view(line));
      line.clear();
      is_too_long = false;
      rest.remove_prefix(end + 1);
    }
  }
  reader.read(line);  // Without its end: what is whole counts all the same.
  return {};
}

}  // namespace

Result<Capture> read_capture(const std::string& path) {
  const Result<OpenCapture> files = open_capture(path);
  if (!files.has_value()) return std::unexpected(files.error());
  CaptureReader reader;
  const Result<void> older = read_lines(files->older, older_capture(path), reader);
  if (!older.has_value()) return std::unexpected(older.error());
  const Result<void> newer = read_lines(files->newer, path, reader);
  if (!newer.has_value()) return std::unexpected(newer.error());
  Result<Capture> capture = reader.finish();
  if (!capture.has_value()) return unreadable(path, capture.error().detail);
  return capture;
}

}  // namespace bartizan
