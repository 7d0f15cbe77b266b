#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/encode_record.h"
#include "schemas/result.h"

namespace bartizan {

/// Where the chain stands: the last sequence number and the hash that binds everything up to it.
/// A head kept elsewhere makes truncation visible.
struct AuditHead {
  std::uint64_t sequence = 0;  ///< 0 before the first record.
  std::array<std::uint8_t, 32> hash{};
  /// `SEQ:HEX`, as `--head` takes it.
  std::string text() const;
  bool operator==(const AuditHead&) const = default;
};

/// An append-only file of records, each bound to the one before:
/// `hash(n) = SHA-256(hash(n-1) ‖ n as 8 bytes big-endian ‖ SHA-256(body(n)))`,
/// one line each: `{BODY,"seq":N,"prev":"…","hash":"…"}`.
///
/// Threads: one at a time; the gateway guards it with its append mutex. Digests of bodies are
///          computed outside.
class AuditLog {
 public:
  /// What opening found.
  struct Opened;

  /// Opens or creates the file (mode 0640), takes an exclusive lock on it, reads its last record,
  /// and continues the chain. A tail without a newline, which a crash left, is cut off and told in
  /// `Opened::repaired_bytes`, so that the caller records it. A last record that does not verify is
  /// an error: somebody changed the file.
  static Result<Opened> open(const std::string& path);

  AuditLog(AuditLog&&) noexcept;
  AuditLog& operator=(AuditLog&&) noexcept;
  ~AuditLog();

  /// Links the records and writes them with one `write()`. All or none: after a short or failed
  /// write the file is cut back to where it was, and the chain stands as before. While the cut
  /// itself fails, every append fails.
  /// Errors: not_recordable, fault gateway.
  Result<AuditHead> append(std::span<const EncodedRecord> records);

  /// Makes everything appended so far survive a loss of power (fdatasync). After a failure the
  /// kernel may have dropped what it could not write, so a later success says nothing of it.
  Result<void> sync();
  /// A descriptor on which another thread may call `fdatasync`; valid while this lives.
  int descriptor() const;
  AuditHead head() const;
  const std::string& path() const;

 private:
  struct State;
  explicit AuditLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct AuditLog::Opened {
  AuditLog log;
  std::uint64_t repaired_bytes = 0;
};

}  // namespace bartizan
