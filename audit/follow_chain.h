#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "audit/audit_log.h"
#include "audit/chain.h"
#include "audit/digest.h"
#include "schemas/base/result.h"

namespace bartizan {

/// One record of a followed chain.
/// Lifetime: that of its batch, into which it points.
struct FollowedRecord {
  std::string_view line;  ///< The whole line, without its newline.
  std::string_view body;  ///< `"v":1,…`: the text that the hash binds.
  std::uint64_t sequence = 0;
  Hash hash{};
  std::uint64_t offset = 0;  ///< Offset of the line in its file.
};

/// Consecutive records.
struct FollowedBatch {
  std::vector<char> bytes = {};
  std::vector<FollowedRecord> records = {};
  /// The fault of the chain before the first of them: records are missing or were changed. Empty
  /// without a fault.
  std::string problem = {};

  AuditHead last() const;  ///< Input: it has records.
};

/// Reads a chain from any record to its end, through the closed files, and later what was appended.
/// Each record must continue the one before. If a record does not, the next self-consistent record
/// is returned with `problem`, so that no present record is withheld.
///
/// Threads: one at a time. Meanwhile the log may be appended to, rotated, and lose files.
/// Cost:    about 1 µs per record; two system calls per look without new records.
class ChainFollower {
 public:
  /// Follows the chain that ends in the file at `path`, from the record after `after`.
  ChainFollower(std::string path, const AuditHead& after) : path_(std::move(path)), last_(after) {}
  ChainFollower(const ChainFollower&) = delete;
  ChainFollower& operator=(const ChainFollower&) = delete;
  ~ChainFollower();

  /// The next records: up to `bytes_max` bytes of them, but at least one. None after the last
  /// record, or if the record's file does not exist.
  /// Errors: a file cannot be read; the next call tries again.
  Result<FollowedBatch> next(std::size_t bytes_max);
  /// The head after the last returned record.
  const AuditHead& last() const { return last_; }

 private:
  Result<bool> open_next(FollowedBatch& batch);
  Result<bool> read_more(FollowedBatch& batch, std::size_t bytes_max);
  bool take_line(std::string_view line, std::uint64_t offset, FollowedBatch& batch);
  void begin_file_anew(FollowedBatch& batch, std::string problem);
  bool is_shorter() const;
  bool is_closed_file() const;
  void close();

  std::string path_;
  AuditHead last_;
  Digester digester_;
  int descriptor_ = -1;
  std::string name_ = {};        ///< Name of the open file when it was opened, for messages.
  std::uint64_t offset_ = 0;     ///< Offset of the first byte that was not taken.
  bool is_searching_ = false;    ///< Records up to `last_` are skipped.
  AuditHead before_ = {};        ///< The head that the open file continues.
  std::uint64_t passed_ = 0;     ///< The last skipped record.
  bool is_in_junk_ = false;      ///< The rest of the line is not a record.
  ino_t inode_ = 0;              ///< Inode of the open file.
  ino_t closed_inode_ = 0;       ///< Inode of the file that was last read to its end.
  std::uint64_t closed_at_ = 0;  ///< The last record at that time.
  bool is_another_ = false;      ///< The record that was last read has changed.
};

/// The name of a chain: the hash of its record 1, in hex. If no file has kept it, the hash of the
/// record before the oldest file.
/// Errors: the record cannot be read, or is empty.
/// Cost:   one read; two per file if the last one does not have the name.
Result<std::string> find_chain_name(const std::string& path);

}  // namespace bartizan
