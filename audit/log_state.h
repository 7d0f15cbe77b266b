#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit_file.h"
#include "audit/audit_log.h"
#include "audit/digest.h"
#include "audit/spool.h"

namespace bartizan {

/// Bytes of one file that no sync has covered yet.
struct AuditLog::Unsynced {
  AuditFile::Ptr file;
  std::uint64_t offset = 0;
  std::string bytes = {};
};

/// Removes the file that was prepared for an incomplete rotation. Refuses a file that the gateway
/// cannot have written.
Result<void> discard_next(const std::string& path);

/// The state that appending, opening and rotating share.
struct AuditLog::State {
  std::string path;
  AuditFile::Ptr file;
  Digester digester = {};
  AuditHead head = {};
  std::uint64_t first_sequence = 1;  ///< Of the file's first record, present or future.
  std::optional<Time> began = {};    ///< The time of that record, once it was requested.
  std::uint64_t begin_bytes = 0;     ///< Bytes of the record that begins the file; 0 if none does.
  std::uint64_t size = 0;            ///< Bytes that the chain covers, spooled ones included.
  std::uint64_t torn = 0;            ///< Bytes after `size` that no record covers.
  std::uint64_t torn_cut =
      0;  ///< Further torn bytes that were cut off, down to the size of the records.
  std::uint64_t written_back = 0;  ///< Offset to which the last write-back job went.
  std::uint64_t forgotten = 0;     ///< Offset to which the job before it went.
  bool unplaced = false;           ///< The file still has the name under which it was prepared.
  bool lost = false;               ///< The path was seen to lead to another file.
  std::string lines = {};
  std::unique_ptr<Spool> spool = {};  ///< Null while it is not needed.
  bool spool_is_used = false;         ///< Whether it was used since the last check.
  std::string spool_problem = {};     ///< Why none is possible. All records then go to the file.

  Keep keep = Keep::nothing;
  std::vector<std::shared_ptr<Unsynced>> unsynced = {};
  bool sealed = false;  ///< A job has taken all parts.
  bool folder_unsynced = false;
  bool sync_failed = false;

  /// Bytes in the file that the chain covers.
  std::uint64_t in_file() const { return size - (spool == nullptr ? 0 : spool->held().size()); }
  /// The error as not_recordable, fault gateway, with the path before its detail.
  std::unexpected<Error> at_path(const Error& error) const;
  AuditHead link(std::string& out, AuditHead from, std::span<const EncodedRecord> records);
  Result<void> write_lines(std::string_view bytes);
  Result<void> drain();
  void remember(std::string_view bytes);
  Result<void> place();
};

}  // namespace bartizan
