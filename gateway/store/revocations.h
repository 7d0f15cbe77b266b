#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/store/store.h"

namespace bartizan {

/// A subject that may no longer be admitted or called, whatever the configuration says.
struct Revocation {
  enum class Kind : std::uint8_t {
    principal,
    session,
    key,
    token,
    block_principal,
    block_server,
    block_tool
  };

  std::int64_t id = 0;  ///< Assigned by the store; never reused.
  Kind kind = Kind::principal;
  /// The name of a principal, server or tool (`server/tool`); the SHA-256 of a session or key, 64
  /// lower-case hexadecimal digits; the SHA-256 of a token or of its `jti`.
  std::string subject = {};
  std::string by = {};           ///< The actor: a principal, or `uid:N` of the admin socket.
  std::string why = {};          ///< The actor's words; without secrets.
  std::string decision_id = {};  ///< Of its record.
  std::chrono::sys_seconds at = {};
  std::optional<std::chrono::sys_seconds> until = {};  ///< Nothing: until it is lifted.

  bool operator==(const Revocation&) const = default;
};

/// `principal`, `session`, `key`, `token`, `block_principal`, `block_server`, `block_tool`.
std::string_view text(Revocation::Kind kind);
/// The kind with that text, or nothing.
std::optional<Revocation::Kind> parse_revocation_kind(std::string_view text);
/// Whether it is a block: of a known principal, who is informed, or of a server or tool.
bool is_block(Revocation::Kind kind);
/// Whether its subject is a SHA-256 instead of a name.
bool is_by_digest(Revocation::Kind kind);

/// The active revocations and blocks, in the state file. A subject may be revoked several times;
/// each revocation holds until its own end.
///
/// Errors: those of `Store`.
class Revocations {
 public:
  explicit Revocations(Store& store) : store_(store) {}

  /// Stores a revocation. When this returns, it survives the end of the process and a loss of
  /// power. First deletes the revocations that are over at `revocation.at`. Returns it with its id.
  /// Errors: invalid_params for a text that is empty, too long, not UTF-8 or has control
  ///         characters; for a subject that must be a SHA-256 but is not; and for an end that is
  ///         not after its begin. overloaded if there are `limits::revocations_max`. Nothing was
  ///         changed then.
  Task<Result<Revocation>> revoke(Loop& loop, Revocation revocation);
  /// Deletes the revocation under that decision, since the caller could not continue with it.
  /// Errors: it is still stored; or, for timed_out, it may be deleted later.
  Task<Result<void>> take_back(Loop& loop, std::string decision_id);
  /// Deletes the revocation that `revoke` may still store under that decision. Does not wait.
  Result<void> take_back_later(std::string decision_id);
  /// Stores the revocation with its own id if it is not stored. Does not wait. For a revocation
  /// that `lift` or `take_back` may still delete after they took too long.
  /// Errors: not accepted; it is unknown what the next start will find.
  Result<void> keep_later(Revocation revocation);
  /// Deletes and returns the revocation with that id; nothing if there is none.
  Task<Result<std::optional<Revocation>>> lift(Loop& loop, std::int64_t id);
  /// All revocations that hold at that time, by their ids. Waits for the disk: for the start.
  Result<std::vector<Revocation>> all(std::chrono::sys_seconds now);

 private:
  Store& store_;
};

}  // namespace bartizan
