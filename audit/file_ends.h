#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "audit/audit_log.h"
#include "audit/digest.h"
#include "audit/record.h"
#include "schemas/base/result.h"

namespace bartizan {

/// What the first record of a file says.
struct FileBegin {
  AuditHead before;  ///< The head that it continues.
  std::chrono::system_clock::time_point time;
  RecordKind kind = RecordKind::start;
  std::string previous = {};  ///< Of a `file_begin`: the name of the file before.
  Hash hash{};                ///< Of that record itself.
  /// The hash of record 1 of the chain, hex; empty where the file does not say it.
  std::string chain = {};
};

/// What the last complete record of a file says, and where it ends.
struct FileEnd {
  AuditHead head;          ///< All zero for a file without a complete record.
  std::uint64_t size = 0;  ///< Of the file without its torn tail.
};

/// The bytes of a file from `offset` on, `size` of them.
/// Errors: it has fewer, or what the system says.
Result<std::string> read_range(int descriptor, std::uint64_t offset, std::uint64_t size);

/// Reads the last record. A tail without newline that is the beginning of a record, or zeros, is
/// torn: a crash or a loss of power left it. Anything else was never ours.
Result<FileEnd> read_end(int descriptor, std::uint64_t size);

/// Reads the first record of a file that has one.
/// Errors: the line is no record, or does not agree with itself.
Result<FileBegin> read_begin(int descriptor);

/// The time of the last record of a file that ends at `size`.
Result<std::chrono::system_clock::time_point> read_last_time(int descriptor, std::uint64_t size);

}  // namespace bartizan
