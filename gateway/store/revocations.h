#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/store/store.h"

namespace bartizan {

/// Something that is not to be let in any more, or not to be called, whatever the configuration
/// says.
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

  std::int64_t id = 0;  ///< Given by the store; never used twice.
  Kind kind = Kind::principal;
  /// A principal, server or tool (`server/tool`) by its name; a session or key by its SHA-256, 64
  /// lower-case hexadecimal digits; a token by the SHA-256 of the token or of its `jti`.
  std::string subject = {};
  std::string by = {};           ///< Who did it: a principal, or `uid:N` of the admin socket.
  std::string why = {};          ///< In the words of who did it; no secret.
  std::string decision_id = {};  ///< Of the record that tells of it.
  std::chrono::sys_seconds at = {};
  std::optional<std::chrono::sys_seconds> until = {};  ///< Until it is lifted, where there is none.

  bool operator==(const Revocation&) const = default;
};

/// `principal`, `session`, `key`, `token`, `block_principal`, `block_server`, `block_tool`.
std::string_view text(Revocation::Kind kind);
/// The kind of that text, or nothing.
std::optional<Revocation::Kind> parse_revocation_kind(std::string_view text);
/// Whether it is a block: of somebody who is known and told so, or of something to be called.
bool is_block(Revocation::Kind kind);
/// Whether its subject is a SHA-256, and no name.
bool is_by_digest(Revocation::Kind kind);

/// The revocations and blocks that hold, in the state file. One subject may be revoked several
/// times; each holds until its own end.
///
/// Errors: those of `Store`.
class Revocations {
 public:
  explicit Revocations(Store& store) : store_(store) {}

  /// Keeps it: when this answers, it outlives the process and a loss of power. Those whose time is
  /// over at `revocation.at` are forgotten first.
  /// Answers it with its id.
  /// Errors: invalid_params for a text that is empty, too long, no UTF-8 or holds control
  ///         characters, a subject that is no SHA-256 where one is due, and an end that is not
  ///         after its begin; overloaded where `limits::revocations_max` hold already. Nothing was
  ///         changed then.
  Task<Result<Revocation>> revoke(Loop& loop, Revocation revocation);
  /// Forgets what `revoke` kept under that decision: the caller could not go on with it.
  /// Errors: it is still kept; or, for timed_out, it may be forgotten yet.
  Task<Result<void>> take_back(Loop& loop, std::string decision_id);
  /// Has what `revoke` may keep yet under that decision forgotten, and waits for nothing.
  Result<void> take_back_later(std::string decision_id);
  /// Keeps the one with its own id where it is not kept, and waits for nothing: for one that `lift`
  /// or `take_back` may forget yet, after they took too long.
  /// Errors: it was not taken, and nobody knows what the next start finds.
  Result<void> keep_later(Revocation revocation);
  /// Forgets the one with that id, and answers it; nothing where there is none.
  Task<Result<std::optional<Revocation>>> lift(Loop& loop, std::int64_t id);
  /// All that hold at that time, by their ids. Waits for the disk: for the start.
  Result<std::vector<Revocation>> all(std::chrono::sys_seconds now);

 private:
  Store& store_;
};

}  // namespace bartizan
