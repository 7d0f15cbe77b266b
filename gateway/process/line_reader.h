#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Cuts a stream of bytes, such as a child's standard output, into lines of bounded length.
///
/// A line over the limit is dropped whole and counted. Reading resumes after its end. A CR before
/// the LF belongs to the line end.
/// Cost: one copy of each line; memory for one line.
class LineReader {
 public:
  explicit LineReader(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  struct Step {
    std::size_t consumed = 0;
    std::optional<Bytes> line = {};  ///< Without its end; may be empty.
  };
  /// Reads up to the end of one line. Call it again with the rest, until no bytes are left.
  Step step(std::string_view bytes);

  /// The last line at the end of the stream, if it has no line end. The reader is empty afterwards.
  std::optional<Bytes> take_unterminated();

  /// Drops the current line, like one over the limit.
  void drop_line();

  /// The number of dropped lines.
  std::uint64_t dropped_lines() const { return dropped_lines_; }
  /// Whether a line has begun and not ended, even if it is being dropped.
  bool is_within_line() const { return is_dropping_ || !line_.empty(); }
  /// The bytes held of an incomplete line.
  std::size_t buffered() const { return line_.size(); }

 private:
  void keep(std::string_view part);
  void append(std::string_view part);
  std::optional<Bytes> take_line();

  std::size_t line_bytes_max_;
  std::uint64_t dropped_lines_ = 0;
  bool is_dropping_ = false;
  bool holds_cr_ = false;  // A CR that is kept only if no LF follows it.
  Bytes line_;
};

}  // namespace bartizan
