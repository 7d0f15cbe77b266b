#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "gateway/status/release_tool.h"
#include "gateway/store/revocations.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// An operator's order to revoke or block.
struct RevocationOrder {
  Revocation::Kind kind = Revocation::Kind::principal;
  /// A principal, server or tool (`server/tool`) by its name, a configured key by its name or its
  /// SHA-256, a session or token by its SHA-256.
  std::string subject = {};
  std::string why = {};
  /// How long it holds; if absent, until it is lifted. That of a session ends after the longest
  /// possible time of a session.
  std::optional<std::chrono::seconds> lasts = {};
};

/// The result of an order.
struct RevocationAnswer {
  enum class Kind : std::uint8_t {
    done,
    malformed,       ///< The order is invalid.
    unknown,         ///< There is nothing with that name or number.
    not_done,        ///< It is not possible here, or not now.
    not_recordable,  ///< It could not be recorded. Nothing was done, unless `why` says so.
  };
  Kind kind = Kind::done;
  std::string why = {};        ///< The reason for a failure, as a sentence; empty after success.
  Revocation revocation = {};  ///< The new or the lifted one.
};

/// Revokes or blocks. It is on the disk and recorded before it is in force. When this returns, it
/// is in force on every worker. The affected sessions, streams and calls in progress end.
///
/// Input:   `by` as for a release.
/// Errors:  an unknown name, with the nearest one; no `[state]`; a store that is full or fails.
///          Nothing is in force then, unless it could be neither recorded nor taken back.
/// Threads: those of `asking`, the control loop.
Task<RevocationAnswer> order_revocation(Loop& asking, Gateway& gateway, RevocationOrder order,
                                        Operator by);

/// Lifts the revocation with that number. It is recorded before it is deleted, and deleted on the
/// disk before anybody is admitted again. Errors, threads: as `order_revocation`.
Task<RevocationAnswer> lift_revocation(Loop& asking, Gateway& gateway, std::int64_t id,
                                       Operator by);

/// Applies a revocation that came into force or ended on that worker: calls in progress and
/// sessions end, and clients are notified of changed lists. The table was changed before.
/// Threads: the worker's.
void follow_revocation(Worker& worker, const Revocation& revocation);

/// Deletes expired revocations. Clients are notified of lists that changed by that. Called every
/// second. Threads: those of any one worker.
void drop_ended_revocations(Gateway& gateway);

/// `revoke principal ann`, `block tool files/write_file`, `revoke token sha256 0123456789abcdef…`:
/// never a session, key or token itself, and at most 16 digits of its SHA-256.
std::string describe(const Revocation& revocation);

}  // namespace bartizan
