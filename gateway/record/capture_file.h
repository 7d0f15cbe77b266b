#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/base/result.h"

namespace bartizan {

/// The file of a capture, and the older one beside it, `FILE.1`. Both have whole arguments of
/// calls, so nobody else may read them: mode 0600, the gateway's own, not a link.
///
/// Threads: one at a time.
class CaptureFile {
 public:
  /// Opens or creates the file, and locks it.
  /// Errors: io_failed: it is a link, another user's, open to others, locked, or not a capture; or
  ///         an error of the system.
  static Result<std::unique_ptr<CaptureFile>> open(const std::string& path);

  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;
  ~CaptureFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// The earliest possible time of its first call, in milliseconds since 1970; nothing if it is
  /// empty.
  std::optional<std::int64_t> began_ms() const { return began_ms_; }
  /// Whether its path still leads to it.
  bool is_in_place() const;

  /// Appends lines with their ends. The first one of an empty file begins a run at `time_ms`. A
  /// partial write is cut off again. The lines go to the open file, wherever its path leads.
  /// Errors: io_failed, also if no file is open because `retake` or `rotate` failed.
  Result<void> append(std::string_view lines, std::int64_t time_ms);
  /// Opens the file that its path leads to now, or creates it. Errors: io_failed, as `open`.
  Result<void> retake();
  /// Renames the file to the older one, which it replaces, and begins a new one. A file that was
  /// moved away is only opened again. Errors: io_failed.
  Result<void> rotate();
  /// Removes its contents. Errors: io_failed.
  Result<void> empty();
  /// Removes the older file if it began before that time. If that fails, removes its contents.
  /// Errors: io_failed.
  Result<void> drop_older(std::int64_t before_ms) const;

 private:
  explicit CaptureFile(std::string path) : path_(std::move(path)) {}
  Result<void> take();
  void close();

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::optional<std::int64_t> began_ms_ = {};
};

/// The path of the older half of a capture.
std::string older_capture(const std::string& path);

}  // namespace bartizan
