#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// Reads a file line by line in bounded memory.
/// Threads: one at a time.
class RecordLines {
 public:
  /// One line without its newline.
  /// Lifetime: `text` is valid until the next read.
  struct Line {
    std::string_view text;
    std::uint64_t number = 0;  ///< From 1; 0 at the end of the file.
    bool ended = false;        ///< A newline followed it.
    bool too_long = false;     ///< Longer than a record can be; `text` is empty or whole.
  };

  static Result<RecordLines> open(const std::string& path);
  RecordLines(RecordLines&& other) noexcept;
  RecordLines& operator=(RecordLines&& other) noexcept;
  ~RecordLines();

  Result<Line> next();

 private:
  explicit RecordLines(int descriptor) : descriptor_(descriptor) {}
  Result<std::size_t> fill();
  Result<bool> skip_line();

  int descriptor_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace bartizan
