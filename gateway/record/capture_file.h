#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/base/result.h"

namespace bartizan {

/// The file that a capture is written to, and the older one beside it, `FILE.1`. Whole arguments of
/// calls stand in both, so nobody else may read them: mode 0600, ours, no link.
///
/// Threads: one at a time.
class CaptureFile {
 public:
  /// Opens or makes it, and locks it.
  /// Errors: io_failed: it is a link, another's, open to others, locked, or something else than a
  ///         capture; or what the system says.
  static Result<std::unique_ptr<CaptureFile>> open(const std::string& path);

  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;
  ~CaptureFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// When the first call that it holds can have come, in milliseconds since 1970; nothing of an
  /// empty one.
  std::optional<std::int64_t> began_ms() const { return began_ms_; }
  /// Whether its name still leads to it.
  bool is_in_place() const;

  /// Writes lines with their ends, the first of an empty file beginning a run at that time. What
  /// was written in part is cut off again. They go to the file that it has, whatever its name leads
  /// to. Errors: io_failed, also where it has none since `retake` or `rotate` failed.
  Result<void> append(std::string_view lines, std::int64_t time_ms);
  /// Takes what its name leads to now, or makes it. Errors: io_failed, as `open`.
  Result<void> retake();
  /// Becomes the older file, in the place of the one before, and begins anew. One that was taken
  /// away is taken anew only. Errors: io_failed.
  Result<void> rotate();
  /// Removes all that it holds. Errors: io_failed.
  Result<void> empty();
  /// Removes the older file if it began before then, or else what it holds. Errors: io_failed.
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

/// Where the older half of a capture stands.
std::string older_capture(const std::string& path);

}  // namespace bartizan
