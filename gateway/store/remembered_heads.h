#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "audit/audit_log.h"
#include "gateway/store/store.h"

namespace bartizan {

/// Heads of records as they were on the disk, in the state file: what a record has to hold still
/// when the gateway starts again. One a record, by the path of its file; of the last
/// `limits::remembered_records_max` records.
///
/// Errors: those of `Store`.
class RememberedHeads {
 public:
  explicit RememberedHeads(Store& store) : store_(store) {}

  /// What is remembered of the record at that path. Waits for the disk: for the start.
  Result<std::optional<AuditHead>> find(const std::string& file);
  /// Remembers that head in the place of the one before, and waits for nothing. An empty record is
  /// nothing to remember.
  /// Input: the head of records that are on the disk. `kept` is called once it is remembered, on
  ///        the thread of the state file, which may outlive whoever asked; never after a failure.
  Result<void> note(const std::string& file, const AuditHead& head, std::chrono::sys_seconds now,
                    std::move_only_function<void()> kept = {});

  /// Says that the present head cannot be remembered, and why: the state file counts as failing
  /// until one is. Waits for nothing.
  Result<void> miss(const Error& error);

 private:
  Store& store_;
};

/// What became of a record since a head of it was remembered.
struct RecordAgreement {
  enum class Kind : std::uint8_t {
    same,        ///< It ends there still.
    longer,      ///< It goes on behind it.
    missing,     ///< It has no records.
    cut,         ///< It ends before.
    changed,     ///< Another record has that number.
    not_there,   ///< Its files begin behind it, or the record is not among their lines.
    unreadable,  ///< Its files cannot be read, or its line was changed.
  };
  Kind kind = Kind::same;
  std::string found = {};  ///< What stands there instead, as a sentence; empty where they agree.
  bool holds() const { return kind == Kind::same || kind == Kind::longer; }
};

/// Holds a record against a head that was remembered of it.
///
/// Input: the path of its file, the head that it has now, and the remembered one.
/// Cost:  that of `find_hash`, where it is longer than remembered.
RecordAgreement compare_record(const std::string& file, const AuditHead& present,
                               const AuditHead& remembered);

}  // namespace bartizan
