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

/// One record of a chain that was followed. Lifetime: views its batch.
struct FollowedRecord {
  std::string_view line;  ///< Whole, without its newline.
  std::string_view body;  ///< `"v":1,…`: what the hash binds.
  std::uint64_t sequence = 0;
  Hash hash{};
  std::uint64_t offset = 0;  ///< Of the line in its file.
};

/// Records that follow each other.
struct FollowedBatch {
  std::vector<char> bytes = {};
  std::vector<FollowedRecord> records = {};
  /// What is wrong with the chain in front of the first of them: records that are gone or were
  /// changed. Empty where nothing is.
  std::string problem = {};

  AuditHead last() const;  ///< Input: it has records.
};

/// Reads a chain from any place to its end, through the files that were closed, and later what was
/// appended meanwhile. Each record has to continue the one before it. Where one does not, the next
/// one that agrees with itself is given out with `problem`, so that nothing that is there is kept
/// back.
///
/// Threads: one at a time; the log may be appended to, rotated and removed from meanwhile.
/// Cost:    about 1 µs a record; while nothing is new, two system calls for each look.
class ChainFollower {
 public:
  /// Follows the chain that ends in the file at `path`, from the record after `after`.
  ChainFollower(std::string path, const AuditHead& after) : path_(std::move(path)), last_(after) {}
  ChainFollower(const ChainFollower&) = delete;
  ChainFollower& operator=(const ChainFollower&) = delete;
  ~ChainFollower();

  /// The next records, `bytes_max` of them or one; none where the last one was given out, or the
  /// record's file is not there.
  /// Errors: a file cannot be read; the next call tries again.
  Result<FollowedBatch> next(std::size_t bytes_max);
  /// Of the record that was given out last.
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
  std::string name_ = {};        ///< Of the open file when it was opened, for sentences.
  std::uint64_t offset_ = 0;     ///< Of the first byte that was not taken.
  bool is_searching_ = false;    ///< Records up to `last_` are passed over.
  AuditHead before_ = {};        ///< That the open file continues.
  std::uint64_t passed_ = 0;     ///< The last record that was passed over.
  bool is_in_junk_ = false;      ///< Up to the end of the line nothing is a record.
  ino_t inode_ = 0;              ///< Of the open file.
  ino_t closed_inode_ = 0;       ///< Of the one that was read to its end last …
  std::uint64_t closed_at_ = 0;  ///< … and the last record then.
  bool is_another_ = false;      ///< The record that was read before is another one now.
};

/// What a chain is called: the hash of its record 1, hex. Where nobody has kept it, that of the
/// record before the oldest file.
/// Errors: the record cannot be read, or has no record yet.
/// Cost:   one read; two for each file where the last one does not say it.
Result<std::string> find_chain_name(const std::string& path);

}  // namespace bartizan
