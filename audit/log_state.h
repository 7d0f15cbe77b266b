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

/// Removes what was prepared for a rotation that did not take place; only what we can have written.
Result<void> discard_next(const std::string& path);

/// What appending, opening and rotating share.
struct AuditLog::State {
  std::string path;
  AuditFile::Ptr file;
  Digester digester = {};
  AuditHead head = {};
  std::uint64_t first_sequence = 1;  ///< Of the file's first record, there or to come.
  std::optional<Time> began = {};    ///< When that record was made, once somebody asked.
  std::uint64_t begin_bytes = 0;     ///< Of the record that begins the file, 0 if none does.
  std::uint64_t size = 0;            ///< Of what the chain vouches for, with what is spooled.
  std::uint64_t torn = 0;            ///< Bytes behind `size` that no record vouches for.
  std::uint64_t torn_cut = 0;        ///< More of them, which were cut off to make room for records.
  std::uint64_t written_back = 0;    ///< Up to where the last job about that went, …
  std::uint64_t forgotten = 0;       ///< … and the one before it.
  bool unplaced = false;             ///< The file still has the name under which it was prepared.
  bool lost = false;                 ///< The path was seen to lead elsewhere.
  std::string lines = {};
  std::unique_ptr<Spool> spool = {};  ///< Once it was needed, until it is not.
  bool spool_is_used = false;         ///< Since somebody looked.
  std::string spool_problem = {};     ///< Why there can be none: the file takes everything.

  Keep keep = Keep::nothing;
  std::vector<std::shared_ptr<Unsynced>> unsynced = {};
  bool sealed = false;  ///< A job has taken up all parts.
  bool folder_unsynced = false;
  bool sync_failed = false;

  /// Bytes of the file that the chain vouches for.
  std::uint64_t in_file() const { return size - (spool == nullptr ? 0 : spool->held().size()); }
  /// An error as not_recordable, fault gateway, with the path in front of its detail.
  std::unexpected<Error> at_path(const Error& error) const;
  AuditHead link(std::string& out, AuditHead from, std::span<const EncodedRecord> records);
  Result<void> write_lines(std::string_view bytes);
  Result<void> drain();
  void remember(std::string_view bytes);
  Result<void> place();
};

}  // namespace bartizan
