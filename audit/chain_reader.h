#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/chain.h"
#include "audit/decode_record.h"
#include "audit/digest.h"
#include "audit/record_lines.h"

namespace bartizan {

/// One line of a chain of files, checked by itself.
struct ChainEntry {
  std::string place;  ///< `FILE:LINE`, or `FILE` if the file cannot be read.
  std::uint64_t sequence = 0;
  Hash prev{};
  Hash hash{};
  std::string problem = {};  ///< Why the line is not an intact record; empty if it is.
  bool unreadable = false;   ///< The file failed, not the line.
  std::string torn = {};     ///< A last line without a newline.
  RecordKind kind = RecordKind::start;
  std::string previous = {};      ///< Of a `file_begin`: the name of the file before.
  std::string removed_head = {};  ///< Of a `file_removed`: the last head of the removed file.
};

/// Reads the lines of several files in order, as one chain.
/// Threads: one at a time.
class ChainReader {
 public:
  explicit ChainReader(const std::vector<std::string>& files) : files_(files) {}

  /// The next line; nothing after the last one.
  std::optional<ChainEntry> next();
  /// The place where the last line was read.
  std::string place() const;
  /// Checks by itself a line that the caller read.
  ChainEntry judge(const RecordLines::Line& line, std::string place);

 private:
  ChainEntry unreadable(const Error& error);

  const std::vector<std::string>& files_;
  std::size_t file_ = 0;  ///< Index after the open file.
  std::uint64_t line_ = 0;
  std::optional<RecordLines> open_;
  RecordReader records_;
  Digester digester_;
};

}  // namespace bartizan
