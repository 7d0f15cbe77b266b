#include "gateway/read_capture.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "gateway/capture_file.h"

namespace bartizan {
namespace {

std::unexpected<Error> unreadable(const std::string& path, const std::string& why) {
  return fail(ErrorCode::io_failed, Fault::client, "capture " + path + " " + why);
}

/// Reads line by line in bounded memory: one that is too long is none, and is told to the reader
/// in part.
Result<void> read_lines(const std::string& path, CaptureReader& reader) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return unreadable(path, "cannot be opened: " + std::system_category().message(errno));
  }
  std::string block(std::size_t{256} << 10, '\0');
  std::string line;
  bool is_too_long = false;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    std::string_view rest(block.data(), static_cast<std::size_t>(file.gcount()));
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
  if (file.bad()) return unreadable(path, "cannot be read to its end");
  reader.read(line);  // Without its end: what is whole counts all the same.
  return {};
}

}  // namespace

Result<Capture> read_capture(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return unreadable(path, "is a folder");
  CaptureReader reader;
  const bool has_older = std::filesystem::exists(older_capture(path), error);
  if (has_older) {
    const Result<void> read = read_lines(older_capture(path), reader);
    if (!read.has_value()) return std::unexpected(read.error());
  }
  // Between two files there may be none of that name for a moment.
  if (!has_older || std::filesystem::exists(path, error)) {
    const Result<void> read = read_lines(path, reader);
    if (!read.has_value()) return std::unexpected(read.error());
  }
  Result<Capture> capture = reader.finish();
  if (!capture.has_value()) return unreadable(path, capture.error().detail);
  return capture;
}

}  // namespace bartizan
