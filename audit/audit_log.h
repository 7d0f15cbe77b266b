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

/// Where the chain stands: the last sequence number and the hash that binds everything up to it.
/// A head kept elsewhere makes truncation visible.
struct AuditHead {
  std::uint64_t sequence = 0;  ///< 0 before the first record.
  std::array<std::uint8_t, 32> hash{};
  /// `SEQ:HEX`, as `--head` takes it.
  std::string text() const;
  bool operator==(const AuditHead&) const = default;
};

/// An append-only chain of records, each bound to the one before:
/// `hash(n) = SHA-256(hash(n-1) ‖ n as 8 bytes big-endian ‖ SHA-256(body(n)))`,
/// one line each: `{BODY,"seq":N,"prev":"…","hash":"…"}`. It is written to one file, which is
/// closed now and then under a name of its own; the chain goes on in the next one.
///
/// Threads: one at a time; the gateway guards it with its append mutex. Digests of bodies are
///          computed outside; jobs may run meanwhile.
class AuditLog {
 public:
  using Time = std::chrono::system_clock::time_point;
  /// What opening found.
  struct Opened;
  /// What must reach the disk before everything appended so far is durable.
  class SyncJob;
  /// What should leave memory for the disk.
  class WriteBackJob;

  /// Opens or creates the file (mode 0640), takes an exclusive lock on it, reads its last record,
  /// and continues the chain. A tail without a newline, which a crash left, is told by `torn_bytes`
  /// and stays until the next append takes its place; a rotation that a crash interrupted is ended
  /// or undone. A last record that does not verify is an error, and so is a file that is gone while
  /// closed ones stand beside its place: somebody changed the record.
  static Result<Opened> open(const std::string& path);

  AuditLog(AuditLog&&) noexcept;
  AuditLog& operator=(AuditLog&&) noexcept;
  ~AuditLog();

  /// Brings to the file what is spooled, links the records and writes them with one `write()`. All
  /// or none: after a short or failed write the chain stands as before, and the next append takes
  /// the place of what is torn. Every append fails while the path leads elsewhere, and, where it
  /// looks, when somebody else wrote to the file or cut it.
  /// Input:  where `torn_bytes` is not 0, the first record tells so.
  /// Errors: not_recordable, fault gateway.
  /// `look` says whether it looks at the file first: whoever appends many times in a few
  /// milliseconds looks once.
  enum class Look : std::uint8_t { at_file, later };
  Result<AuditHead> append(std::span<const EncodedRecord> records, Look look = Look::at_file);

  /// Links the records and writes them, for whoever appends again at once. The lines go to the
  /// spool (`Spool`), and from there to the file once they are `kHeldMax` bytes, by the next
  /// `append`, or by `drain`. What is spooled is recorded: where the process ends before, opening
  /// the record takes it over. Where there can be no spool, and where everything is kept until it
  /// is durable, it is `append`. `look` says whether it looks at the spool, and at the file where
  /// it writes to that.
  ///
  /// Errors: not_recordable, fault gateway.
  Result<AuditHead> append_spooled(std::span<const EncodedRecord> records,
                                   Look look = Look::at_file);
  static constexpr std::size_t kHeldMax = std::size_t{256} << 10;
  /// Gives the spool up, if it is empty.
  void discard_empty_spool();
  /// Gives the spool up, if it is empty and was not used since this was called before.
  void release_idle_spool();
  /// Why there can be no spool; empty where there is one, and as long as nobody needed it.
  const std::string& spool_problem() const;
  /// Writes to the file what is spooled. Where that fails nothing more is accepted until it works.
  Result<void> drain();

  /// Puts right what an earlier failure left: the file is put in its place.
  Result<void> repair();
  /// Bytes of a torn record that the next append replaces.
  std::uint64_t torn_bytes() const;
  /// Looks whether the path still leads to the file, and nobody else has written to it or cut it.
  /// While it leads elsewhere, appending fails.
  Result<void> check_place();

  /// Closes the file under the name that `rotated_name` gives it, and goes on in a new one. The
  /// last record of the one and the first of the other name each other. Killed at any point, the
  /// record is opened again with one chain. After a failure the old file goes on.
  /// Answers the path of the closed file.
  Result<std::string> rotate(Time now);
  std::uint64_t size() const;
  /// The time of the first record, and whether the file holds more than the one that begins it.
  std::optional<Time> began() const;
  bool is_just_begun() const;

  /// Keeps what is appended until a job has made it durable, so that it can be written again after
  /// a failure: the kernel drops what it could not write, and succeeds the next time.
  enum class Keep : std::uint8_t { nothing, until_durable };
  void keep(Keep what);
  /// Takes up the job of making all that was appended durable. Jobs come one after the other.
  SyncJob begin_sync();
  void end_sync(const SyncJob& job, const Result<void>& synced);

  /// The file that is written to now.
  std::shared_ptr<const AuditFile> file() const;

  /// Whether so much was appended since the last such job that it should leave memory: the kernel
  /// keeps what is written for half a minute and longer, which are gigabytes under load, is nearly
  /// never read again, and counts as memory of the gateway's container.
  bool is_write_back_due() const;
  /// Takes up the job of having it written to the disk, and of forgetting what the job before this
  /// one was about, which is there by now.
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
  std::string repaired = {};  ///< What was done about an interrupted rotation; empty: nothing.
  std::uint64_t spooled = 0;  ///< Records that came from the spool, in front of the next one.
  /// What of the spool does not continue the record, and where it was put aside; empty: nothing.
  std::string unplaced = {};
};

class AuditLog::SyncJob {
 public:
  /// Waits for the disk. After a failed one, writes everything again first.
  /// Threads: any, while the log is appended to.
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
  /// Does nothing where none was taken up.
  /// Threads: any, while the log is appended to.
  void run() const;

 private:
  friend class AuditLog;
  std::shared_ptr<const AuditFile> file_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
};

}  // namespace bartizan
