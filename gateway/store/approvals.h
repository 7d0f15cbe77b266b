#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

inline constexpr std::size_t kApprovalStates = 6;
/// `pending`, `approved`, `used`, `denied`, `expired`, `withdrawn`.
std::string_view text(ApprovalState state);
/// The state of that text, or nothing.
std::optional<ApprovalState> parse_approval_state(std::string_view text);

/// A call that waits for people, or waited for them.
struct ApprovalRequest {
  std::string id = {};  ///< A UUIDv7, as decisions have them.
  ApprovalState state = ApprovalState::pending;
  std::string principal = {};
  std::string endpoint = {};  ///< Name; empty where there are none.
  std::string server = {};
  std::string method = {};
  std::string target = {};
  std::string rule = {};         ///< That wants the approval.
  std::string policy = {};       ///< Digest of the policy.
  std::string session = {};      ///< SHA-256 of the session's id; empty for none.
  std::string salt = {};         ///< Of the digest, hexadecimal.
  std::string digest = {};       ///< `approval_digest`, hexadecimal.
  std::string params = {};       ///< `params_digest`, hexadecimal: what of a call differs.
  std::string fingerprint = {};  ///< Of the tool's definition; empty where there is no tool.
  std::int64_t expires = 0;      ///< When it ends at the latest; part of the digest.
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
  std::string request = {};             ///< Its id.
  std::string approver = {};            ///< The principal who answered.
  std::vector<std::string> roles = {};  ///< That the approver had then.
  std::string proved = {};              ///< How the approver was proved: `api_key:NAME`.
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
    counted,   ///< It counts; `request` says where the request stands now.
    unknown,   ///< There is no such request.
    decided,   ///< The request does not wait any more: `request` says where it stands.
    again,     ///< This person has said the same already.
    answered,  ///< This person has said the contrary already, which counts.
  } kind = Kind::counted;
  ApprovalRequest request = {};
  std::int64_t approved_by = 0;  ///< Persons who approved so far.
};

/// Who makes a request take a step, as the record has it.
struct ApprovalActor {
  std::string principal = {};  ///< `gateway` for what ends by itself.
  std::vector<std::string> roles = {};
  std::string proof = {};           ///< `api_key:NAME`
  std::string source = {};          ///< `ip:port`
  std::string_view transport = {};  ///< Of static storage.
  std::string endpoint = {};        ///< Name; empty where there are none.
  std::string call = {};            ///< Decision id of the call that asks; empty for none.
};

/// What is about to become of a request.
struct ApprovalStep {
  ApprovalRequest request = {};  ///< As it stands from then on.
  ApprovalActor by = {};
  std::string why = {};                    ///< Ours, or in the words of an approver.
  const ApprovalAnswer* answer = nullptr;  ///< That led to it; null for none.
};

/// Requests for approval and their answers, in the state file. A request changes its state in one
/// transaction, and never back. One `deny` beats all that approve.
///
/// Errors: those of `Store`, and of `Note`: nothing is changed then.
/// Source: seeds 002 and 003 for the states.
class Approvals {
 public:
  /// Puts a step on record before it is committed; a step that cannot be recorded is not taken.
  /// Answers the proof that is kept with an answer, which may be empty.
  /// Threads: the store's.
  using Note = std::function<Result<std::string>(const ApprovalStep&)>;

  Approvals(Store& store, Note note) : store_(store), note_(std::move(note)) {}

  /// Keeps one that waits, and answers true.
  /// Errors: overloaded where its principal has `limits::approvals_of_principal_max` that wait, or
  ///         `limits::approvals_max` wait or hold.
  Task<Result<bool>> add(Loop& loop, ApprovalRequest request, ApprovalActor by);
  /// Counts an answer at `answer.at`. The last approval that was needed makes the request approved
  /// until `valid_for` later; a denial ends it.
  Task<Result<AnsweredApproval>> answer(Loop& loop, ApprovalAnswer answer, ApprovalActor by);
  /// Uses an approval that holds at that time, for the call with that decision id. False where it
  /// does not, or was used: of several who use one at once, one gets true.
  Task<Result<bool>> use(Loop& loop, std::string id, std::string call, std::int64_t now,
                         ApprovalActor by);
  /// Ends a request that waits, or an approval that was not used. False where there is none.
  /// Input: `expired` or `withdrawn`, and why.
  Task<Result<bool>> end(Loop& loop, std::string id, ApprovalState state, std::string why,
                         std::int64_t now, ApprovalActor by);
  /// Ends all whose time is over, and those that wait or hold under another policy. Answers their
  /// ids.
  Task<Result<std::vector<std::string>>> end_outdated(Loop& loop, std::string policy,
                                                      std::int64_t now);
  /// The request of that id, and its answers, oldest first.
  struct Found {
    ApprovalRequest request;
    std::vector<ApprovalAnswer> answers;
  };
  Task<Result<std::optional<Found>>> find(Loop& loop, std::string id);
  /// Requests that wait or hold, oldest first: those after the one with that id, `count` at most.
  Task<Result<std::vector<ApprovalRequest>>> open(Loop& loop, std::string after,
                                                  std::int64_t count);
  /// Those of a principal for one target that wait, hold, or were denied and not over yet, each
  /// with its answers; without what approvers are shown.
  Task<Result<std::vector<Found>>> of_target(Loop& loop, std::string principal, std::string server,
                                             std::string target, std::int64_t now);
  /// How many wait, of all principals. Waits for the disk: for metrics of the control loop.
  Task<Result<std::int64_t>> waiting(Loop& loop);

  // At the start, where no loop runs.

  /// When the oldest request that waits or holds was made; nothing where there is none.
  Result<std::optional<std::int64_t>> oldest_open();
  /// What the record says of a request: where it stands, and who approved it.
  struct Recorded {
    ApprovalState state = ApprovalState::pending;
    std::vector<ApprovalAnswer> answers = {};
    std::int64_t at = 0;      ///< Of the last step.
    std::string digest = {};  ///< That the request is bound to.
  };
  /// Brings requests that wait or hold to where the record says that they stand; of which it says
  /// nothing, they are withdrawn. Answers the ids of those that stood elsewhere.
  Result<std::vector<std::string>> follow_record(std::map<std::string, Recorded> recorded,
                                                 std::int64_t now);

 private:
  Store& store_;
  Note note_;
};

}  // namespace bartizan
