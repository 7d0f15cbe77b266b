#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/encode_record.h"
#include "schemas/base/result.h"

namespace bartizan {

class AuditFile;

/// The end of the chain: the last sequence number, and the hash that binds all records up to it. A
/// head that is kept elsewhere reveals truncation.
struct AuditHead {
  std::uint64_t sequence = 0;  ///< 0 before the first record.
  std::array<std::uint8_t, 32> hash{};
  /// `SEQ:HEX`, the form of `--head`.
  std::string text() const;
  bool operator==(const AuditHead&) const = default;
};

/// An append-only chain of records. Each record is bound to the one before:
/// `hash(n) = SHA-256(hash(n-1) ‖ n as 8 bytes big-endian ‖ SHA-256(body(n)))`.
/// Each record is one line: `{BODY,"seq":N,"prev":"…","hash":"…"}`. The log writes to one file,
/// which is closed from time to time under its own name. The chain continues in the next file.
///
/// Threads: one at a time; the gateway guards it with its append mutex. Digests of bodies are
///          computed outside. Jobs may run meanwhile.
class AuditLog {
 public:
  using Time = std::chrono::system_clock::time_point;
  /// The result of opening.
  struct Opened;
  /// The data that must reach the disk before everything appended so far is durable.
  class SyncJob;
  /// The data that should move from memory to the disk.
  class WriteBackJob;

  /// Opens or creates the file (mode 0640) and takes an exclusive lock on it. Reads its last record
  /// and continues the chain.
  ///
  /// A crash can leave a tail without a newline. `torn_bytes` reports it, and it stays until the
  /// next append overwrites it. An interrupted rotation is completed or undone.
  /// Errors: the last record does not verify, or the file is gone while closed files are beside its
  ///         place. In both cases the record was changed from outside.
  static Result<Opened> open(const std::string& path);

  AuditLog(AuditLog&&) noexcept;
  AuditLog& operator=(AuditLog&&) noexcept;
  ~AuditLog();

  /// Writes spooled lines to the file, then links the records and writes them with one `write()`.
  /// Writes all or none: after a short or failed write the chain is as before, and the next append
  /// overwrites the torn bytes.
  ///
  /// `look` selects whether the file is checked first. For many appends within a few milliseconds
  /// one check is enough. Each append fails while the path leads to another file. With a check, it
  /// also fails if another process wrote to the file or cut it.
  /// Input:  if `torn_bytes` is not 0, the first record reports them.
  /// Errors: not_recordable, fault gateway.
  enum class Look : std::uint8_t { at_file, later };
  Result<AuditHead> append(std::span<const EncodedRecord> records, Look look = Look::at_file);

  /// Links the records and writes them, for a caller that soon appends again. The lines go to the
  /// spool (`Spool`). They move to the file once they are `kHeldMax` bytes, by the next `append`,
  /// or by `drain`. Spooled records count as recorded: if the process ends first, opening the
  /// record takes them over.
  ///
  /// Works as `append` if no spool is possible, or if everything is kept until it is durable.
  /// `look` selects whether the spool is checked first, and the file if this writes to it.
  /// Errors: not_recordable, fault gateway.
  Result<AuditHead> append_spooled(std::span<const EncodedRecord> records,
                                   Look look = Look::at_file);
  static constexpr std::size_t kHeldMax = std::size_t{256} << 10;
  /// Removes the spool if it is empty.
  void discard_empty_spool();
  /// Removes the spool if it is empty and was not used since the last call of this function.
  void release_idle_spool();
  /// The reason why no spool is possible. Empty if there is one, or if none was needed so far.
  const std::string& spool_problem() const;
  /// Writes spooled lines to the file. After a failure no records are accepted until it succeeds.
  Result<void> drain();

  /// Repairs the result of an earlier failure: puts the file in its place.
  Result<void> repair();
  /// Bytes of a torn record that the next append overwrites.
  std::uint64_t torn_bytes() const;
  /// Checks that the path still leads to the file, and that no other process wrote to it or cut it.
  /// Appending fails while the path leads to another file.
  Result<void> check_place();

  /// Closes the file under the name that `rotated_name` returns, and continues in a new file. The
  /// last record of the old file and the first of the new one name each other. If the process is
  /// killed at any point, opening finds one chain. After a failure the old file continues, unless
  /// only the move of the new one into its place failed: `repair` does that.
  /// Returns the path of the closed file.
  Result<std::string> rotate(Time now);
  std::uint64_t size() const;
  /// `began` is the time of the first record. `is_just_begun` says whether the file holds only the
  /// record that begins it.
  std::optional<Time> began() const;
  bool is_just_begun() const;

  /// Whether appended bytes are kept in memory until a job has made them durable. They can then be
  /// written again after a failed sync: the kernel drops bytes that it could not write, and the
  /// next sync succeeds.
  enum class Keep : std::uint8_t { nothing, until_durable };
  void keep(Keep what);
  /// Starts a job that makes all appended bytes durable. Jobs run one after the other.
  SyncJob begin_sync();
  void end_sync(const SyncJob& job, const Result<void>& synced);

  /// The file that is now written to.
  std::shared_ptr<const AuditFile> file() const;

  /// Whether enough was appended since the last such job to start another. The kernel keeps written
  /// bytes in memory for half a minute or longer. Under load these are gigabytes. They are almost
  /// never read again, and count as memory of the gateway's container.
  bool is_write_back_due() const;
  /// Starts a job that has those bytes written to the disk. It also drops from memory the bytes of
  /// the job before, which are on the disk by now.
  WriteBackJob begin_write_back();

  AuditHead head() const;
  const std::string& path() const;
  /// For tests of failures.
  int descriptor() const;

 private:
  struct State;
  struct Unsynced;
  friend class OpenLog;
  explicit AuditLog(std::unique_ptr<State> state);
  bool is_drain_due() const;
  std::unique_ptr<State> state_;
};

struct AuditLog::Opened {
  AuditLog log;
  std::string repaired = {};  ///< The action on an interrupted rotation; empty if none.
  std::uint64_t spooled = 0;  ///< Records from the spool. They precede the next one.
  /// The record of the spool that does not continue the chain, and the file that now holds the
  /// spool. Empty if all of it continues.
  std::string unplaced = {};
};

class AuditLog::SyncJob {
 public:
  /// Waits for the disk. After a failed job, first writes everything again.
  /// Threads: any, during appends to the log.
  Result<void> run() const;
  bool empty() const { return parts_.empty() && folder_.empty(); }

 private:
  friend class AuditLog;
  std::vector<std::shared_ptr<const Unsynced>> parts_;
  std::string folder_;  ///< Path whose folder has new names; empty if none.
  bool again_ = false;
};

class AuditLog::WriteBackJob {
 public:
  /// Does nothing if the job has no file.
  /// Threads: any, during appends to the log.
  void run() const;

 private:
  friend class AuditLog;
  std::shared_ptr<const AuditFile> file_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
};

}  // namespace bartizan
