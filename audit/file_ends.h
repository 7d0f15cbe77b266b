#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "audit/audit_log.h"
#include "audit/digest.h"
#include "audit/record.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The contents of the first record of a file.
struct FileBegin {
  AuditHead before;  ///< The head that the record continues.
  std::chrono::system_clock::time_point time;
  RecordKind kind = RecordKind::start;
  std::string previous = {};  ///< Of a `file_begin`: the name of the file before.
  Hash hash{};                ///< The hash of that record itself.
  /// The hash of record 1 of the chain, in hex. Empty if the file does not have it.
  std::string chain = {};
};

/// The last complete record of a file, and where it ends.
struct FileEnd {
  AuditHead head;          ///< All zero for a file without a complete record.
  std::uint64_t size = 0;  ///< Size of the file without its torn tail.
};

/// Reads `size` bytes of a file, from `offset` on.
/// Errors: the file has fewer bytes, or a system error.
Result<std::string> read_range(int descriptor, std::uint64_t offset, std::uint64_t size);

/// Reads the last record. A tail without a newline is torn if it is the beginning of a record, or
/// zeros: a crash or a loss of power left it. Any other tail is not from the gateway, and is an
/// error.
Result<FileEnd> read_end(int descriptor, std::uint64_t size);

/// Reads the first record of a file that has one.
/// Errors: the line is not a record, or its hash does not match.
Result<FileBegin> read_begin(int descriptor);

/// The time of the last record of a file that ends at `size`.
Result<std::chrono::system_clock::time_point> read_last_time(int descriptor, std::uint64_t size);

}  // namespace bartizan
