#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/store/store.h"

namespace bartizan {

namespace limits {
/// Requests for approval that are kept at a time, decided ones included, and those of one principal
/// that wait. Of decided ones the oldest make room.
inline constexpr std::int64_t approvals_max = 10'000;
inline constexpr std::int64_t approvals_of_principal_max = 32;
/// How long a decided request is kept for whoever asks what became of it, in seconds.
inline constexpr std::int64_t decided_approvals_kept = 86'400;
}  // namespace limits

/// Where a request for approval stands: pending → approved → used, or it ends before.
enum class ApprovalState : std::uint8_t {
  pending,
  approved,
  used,       ///< Its call has left, or was about to.
  denied,     ///< An approver said no.
  expired,    ///< Nobody decided in time, or nobody called in time.
  withdrawn,  ///< Its caller gave it up, or what it was bound to has changed.
};

/// `pending`, `approved`, `used`, `denied`, `expired`, `withdrawn`.
std::string_view text(ApprovalState state);
/// The state of that text, or nothing.
std::optional<ApprovalState> parse_approval_state(std::string_view text);

/// A call that waits for people, or waited for them.
struct ApprovalRequest {
  std::string id = {};  ///< The decision id of the call that asked first.
  ApprovalState state = ApprovalState::pending;
  std::string principal = {};
  std::string endpoint = {};  ///< Name; empty where there are none.
  std::string server = {};
  std::string method = {};
  std::string target = {};
  std::string rule = {};     ///< That wants the approval.
  std::string policy = {};   ///< Digest of the policy.
  std::string session = {};  ///< SHA-256 of the session's id; empty for none.
  std::string salt = {};     ///< Of the digest, hexadecimal.
  std::string digest = {};   ///< `approval_digest`, hexadecimal.
  /// What approvers are shown: a JSON object. Empty once it is decided.
  std::string shown = {};
  std::int64_t needed = 1;      ///< Persons who have to approve.
  std::int64_t made_at = 0;     ///< Seconds since 1970 UTC, as all times.
  std::int64_t ends_at = 0;     ///< When nobody can decide any more; once approved, call.
  std::int64_t valid_for = 0;   ///< Seconds that an approval holds.
  std::int64_t decided_at = 0;  ///< When it left `pending`; 0 before.

  bool operator==(const ApprovalRequest&) const = default;
};

/// What one person said of a request.
struct ApprovalAnswer {
  std::string request = {};   ///< Its id.
  std::string approver = {};  ///< The principal who answered.
  /// Who that is: principals whom the configuration joins are one person, and count once.
  std::string person = {};
  bool approves = false;
  std::string why = {};
  std::string proof = {};  ///< The signed decision, a compact JWS; empty for none.
  std::int64_t at = 0;

  bool operator==(const ApprovalAnswer&) const = default;
};

/// What became of an answer.
struct AnsweredApproval {
  enum class Kind : std::uint8_t {
    counted,  ///< It counts; `request` says where the request stands now.
    unknown,  ///< There is no such request.
    decided,  ///< The request does not wait any more: `request` says where it stands.
    again,    ///< This person has answered already.
  } kind = Kind::counted;
  ApprovalRequest request = {};
  std::int64_t approved_by = 0;  ///< Persons who approved so far.
};

/// Requests for approval and their answers, in the state file. A request changes its state in one
/// transaction, and never back. One `deny` beats all that approve.
///
/// Errors: those of `Store`.
/// Source: seeds 002 and 003 for the states.
class Approvals {
 public:
  explicit Approvals(Store& store) : store_(store) {}

  /// Keeps one that waits, and answers true.
  /// Errors: overloaded where its principal has `limits::approvals_of_principal_max` that wait, or
  ///         `limits::approvals_max` wait or hold.
  Task<Result<bool>> add(Loop& loop, ApprovalRequest request);
  /// Counts an answer at `answer.at`. The last approval that was needed makes the request approved
  /// until `valid_for` later; a denial ends it.
  Task<Result<AnsweredApproval>> answer(Loop& loop, ApprovalAnswer answer);
  /// Uses an approval that holds at that time. False where it does not, or was used: of several who
  /// use one at once, one gets true.
  Task<Result<bool>> use(Loop& loop, std::string id, std::int64_t now);
  /// Ends a request that waits, or an approval that was not used. False where there is none.
  /// Input: `denied`, `expired` or `withdrawn`.
  Task<Result<bool>> end(Loop& loop, std::string id, ApprovalState state, std::int64_t now);
  /// Ends all whose time is over, and answers their ids.
  Task<Result<std::vector<std::string>>> expire(Loop& loop, std::int64_t now);
  /// The request of that id, and its answers, oldest first.
  struct Found {
    ApprovalRequest request;
    std::vector<ApprovalAnswer> answers;
  };
  Task<Result<std::optional<Found>>> find(Loop& loop, std::string id);
  /// Requests that wait or hold, oldest first: those after the one with that id, `count` at most.
  Task<Result<std::vector<ApprovalRequest>>> open(Loop& loop, std::string after,
                                                  std::int64_t count);
  /// Those of a principal for one target that wait or hold.
  Task<Result<std::vector<ApprovalRequest>>> open_of(Loop& loop, std::string principal,
                                                     std::string server, std::string target);

 private:
  Store& store_;
};

}  // namespace bartizan
