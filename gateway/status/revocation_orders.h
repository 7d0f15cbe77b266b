#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "gateway/status/release_tool.h"
#include "gateway/store/revocations.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// What an operator wants revoked or blocked.
struct RevocationOrder {
  Revocation::Kind kind = Revocation::Kind::principal;
  /// A principal, server or tool (`server/tool`) by its name, a configured key by its name or its
  /// SHA-256, a session or token by its SHA-256.
  std::string subject = {};
  std::string why = {};
  /// How long it holds; until it is lifted, where that is not said. A session's ends with the
  /// longest time that a session may last.
  std::optional<std::chrono::seconds> lasts = {};
};

/// What became of an order.
struct RevocationAnswer {
  enum class Kind : std::uint8_t {
    done,
    malformed,       ///< It says nothing that could be done.
    unknown,         ///< There is nothing of that name, or number.
    not_done,        ///< It cannot be done here, or not now.
    not_recordable,  ///< Nobody could have learnt of it; where `why` says no more, nothing was
                     ///< done.
  };
  Kind kind = Kind::done;
  std::string why = {};        ///< Why not, in a sentence; empty where it was done.
  Revocation revocation = {};  ///< That holds now, or does not hold any more.
};

/// Revokes or blocks: it is on the disk and on record before it is in force, and in force on every
/// worker when this answers. Sessions, streams and calls in progress that it is about end.
///
/// Input:   `by` as for a release.
/// Errors:  a name that nothing has, with the nearest one; no `[state]`; a store that is full or
///          fails. Nothing is in force then, but for what could be neither recorded nor taken back.
/// Threads: those of `asking`, the control loop.
Task<RevocationAnswer> order_revocation(Loop& asking, Gateway& gateway, RevocationOrder order,
                                        Operator by);

/// Takes back the one with that number: on record before it is forgotten, forgotten on the disk
/// before anybody is let in again. Errors, threads: as `order_revocation`.
Task<RevocationAnswer> lift_revocation(Loop& asking, Gateway& gateway, std::int64_t id,
                                       Operator by);

/// Brings what came in force, or ended, about on that worker: calls in progress and sessions end,
/// and clients hear that their lists changed. Of what was `revocation`, for which the table has
/// been changed already.
/// Threads: the worker's.
void follow_revocation(Worker& worker, const Revocation& revocation);

/// Forgets those whose time is over; clients hear of lists that changed by that. Called every
/// second. Threads: those of any one worker.
void drop_ended_revocations(Gateway& gateway);

/// `revoke principal ann`, `block tool files/write_file`, `revoke token sha256 0123456789abcdef…`:
/// never a session, key or token itself, and of its SHA-256 no more than 16 digits.
std::string describe(const Revocation& revocation);

}  // namespace bartizan
