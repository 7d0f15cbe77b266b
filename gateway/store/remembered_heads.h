#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "audit/audit_log.h"
#include "gateway/store/store.h"

namespace bartizan {

/// Heads of records that were on the disk, in the state file. A record must still contain its head
/// when the gateway starts again. One head per record, by the path of its file. Kept for the last
/// `limits::remembered_records_max` records.
///
/// Errors: those of `Store`.
class RememberedHeads {
 public:
  explicit RememberedHeads(Store& store) : store_(store) {}

  /// The remembered head of the record at that path. Waits for the disk: for the start.
  Result<std::optional<AuditHead>> find(const std::string& file);
  /// Replaces the remembered head. Does not wait. The head of an empty record is not stored.
  /// Input: the head of records that are on the disk. `kept` is called once the head is stored, on
  ///        the thread of the state file, which may outlive the caller. It is not called after a
  ///        failure.
  Result<void> note(const std::string& file, const AuditHead& head, std::chrono::sys_seconds now,
                    std::move_only_function<void()> kept = {});

  /// Reports that the current head cannot be remembered, and why. The state file counts as failing
  /// until a head is stored. Does not wait.
  Result<void> miss(const Error& error);

 private:
  Store& store_;
};

/// A comparison of a record with its remembered head.
struct RecordAgreement {
  enum class Kind : std::uint8_t {
    same,        ///< It still ends with the head.
    longer,      ///< It continues after the head.
    missing,     ///< It has no records.
    cut,         ///< It ends before the head.
    changed,     ///< Another record has the head's number.
    not_there,   ///< Its files begin after the head, or have no line with it.
    unreadable,  ///< Its files cannot be read, or its line was changed.
  };
  Kind kind = Kind::same;
  std::string found = {};  ///< What was found instead, as a sentence; empty if they agree.
  bool holds() const { return kind == Kind::same || kind == Kind::longer; }
};

/// Compares a record with its remembered head.
///
/// Input: the path of its file, its current head, and the remembered one.
/// Cost:  that of `find_hash`, if the record is longer than remembered.
RecordAgreement compare_record(const std::string& file, const AuditHead& present,
                               const AuditHead& remembered);

}  // namespace bartizan
