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
/// The most kept requests, decided ones included, and the most pending requests of one principal.
/// The oldest decided requests make room.
inline constexpr std::int64_t approvals_max = 10'000;
inline constexpr std::int64_t approvals_of_principal_max = 32;
/// How long a decided request is kept so that its state can be looked up, in seconds.
inline constexpr std::int64_t decided_approvals_kept = 86'400;
}  // namespace limits

/// The state of a request for approval: pending → approved → used, or it ends before.
enum class ApprovalState : std::uint8_t {
  pending,
  approved,
  used,       ///< Its call was sent, or was about to be.
  denied,     ///< An approver denied it.
  expired,    ///< No decision in time, or no call in time.
  withdrawn,  ///< Its caller gave it up, or one of its conditions changed.
};

inline constexpr std::size_t kApprovalStates = 6;
/// `pending`, `approved`, `used`, `denied`, `expired`, `withdrawn`.
std::string_view text(ApprovalState state);
/// The state with that text, or nothing.
std::optional<ApprovalState> parse_approval_state(std::string_view text);

/// A call that waits for approval, or waited for it.
struct ApprovalRequest {
  std::string id = {};  ///< A UUIDv7, as for decisions.
  ApprovalState state = ApprovalState::pending;
  std::string principal = {};
  std::string endpoint = {};  ///< Name; empty without endpoints.
  std::string server = {};
  std::string method = {};
  std::string target = {};
  std::string rule = {};         ///< The rule that requires the approval.
  std::string policy = {};       ///< Digest of the policy.
  std::string session = {};      ///< SHA-256 of the session's id; empty for none.
  std::string salt = {};         ///< Of the digest, hexadecimal.
  std::string digest = {};       ///< `approval_digest`, hexadecimal.
  std::string params = {};       ///< `params_digest`, hexadecimal; shows changed parameters.
  std::string fingerprint = {};  ///< Of the tool's definition; empty without a tool.
  std::int64_t expires = 0;      ///< The latest end; part of the digest.
  /// The details for approvers: a JSON object. Empty after the decision.
  std::string shown = {};
  std::int64_t needed = 1;   ///< The number of persons who must approve.
  std::int64_t made_at = 0;  ///< Seconds since 1970 UTC, as for all times.
  std::int64_t ends_at = 0;  ///< The end of the time to decide; once approved, of the time to call.
  std::int64_t valid_for = 0;   ///< The validity of an approval, in seconds.
  std::int64_t decided_at = 0;  ///< When it left `pending`; 0 before.

  bool operator==(const ApprovalRequest&) const = default;
};

/// One person's answer to a request.
struct ApprovalAnswer {
  std::string request = {};             ///< Its id.
  std::string approver = {};            ///< The principal who answered.
  std::vector<std::string> roles = {};  ///< The approver's roles at that time.
  std::string proved = {};              ///< How the approver was authenticated: `api_key:NAME`.
  /// The approver's person. Principals that the configuration joins are one person, and count once.
  std::string person = {};
  bool approves = false;
  std::string why = {};
  std::string proof = {};  ///< The signed decision, a compact JWS; empty for none.
  std::int64_t at = 0;

  bool operator==(const ApprovalAnswer&) const = default;
};

/// The effect of an answer.
struct AnsweredApproval {
  enum class Kind : std::uint8_t {
    counted,   ///< It counts; `request` has the new state.
    unknown,   ///< There is no such request.
    decided,   ///< The request is no longer pending; `request` has its state.
    again,     ///< This person has given the same answer already.
    answered,  ///< This person has given the opposite answer already, which counts.
  } kind = Kind::counted;
  ApprovalRequest request = {};
  std::int64_t approved_by = 0;  ///< Persons who have approved so far.
};

/// The actor behind a step of a request, for the record.
struct ApprovalActor {
  std::string principal = {};  ///< `gateway` for an automatic end.
  std::vector<std::string> roles = {};
  std::string proof = {};           ///< `api_key:NAME`
  std::string source = {};          ///< `ip:port`
  std::string_view transport = {};  ///< Of static storage.
  std::string endpoint = {};        ///< Name; empty without endpoints.
  std::string call = {};            ///< Decision id of the call that requests it; empty for none.
};

/// The next step of a request.
struct ApprovalStep {
  ApprovalRequest request = {};  ///< In its state after the step.
  ApprovalActor by = {};
  std::string why = {};                    ///< The gateway's reason, or an approver's words.
  const ApprovalAnswer* answer = nullptr;  ///< The answer that caused it; null for none.
};

/// Approval requests and their answers, in the state file. A request changes its state in one
/// transaction, and never back. One `deny` outweighs all approvals.
///
/// Errors: those of `Store`, and of `Note`: nothing is changed then.
/// Source: seeds 002 and 003 for the states.
class Approvals {
 public:
  /// Records a step before it is committed. A step that cannot be recorded is not taken. Returns
  /// the proof that is kept with an answer; it may be empty.
  /// Threads: the store's.
  using Note = std::function<Result<std::string>(const ApprovalStep&)>;

  Approvals(Store& store, Note note) : store_(store), note_(std::move(note)) {}

  /// Inserts a pending request, and returns true.
  /// Errors: overloaded if its principal has `limits::approvals_of_principal_max` pending requests,
  ///         or if `limits::approvals_max` requests are pending or approved.
  Task<Result<bool>> add(Loop& loop, ApprovalRequest request, ApprovalActor by);
  /// Counts an answer at `answer.at`. The last required approval makes the request approved until
  /// `valid_for` later. A denial ends it.
  Task<Result<AnsweredApproval>> answer(Loop& loop, ApprovalAnswer answer, ApprovalActor by);
  /// Uses a valid approval for the call with that decision id. False if it is not valid at that
  /// time, or was used. Of several concurrent uses, one gets true.
  Task<Result<bool>> use(Loop& loop, std::string id, std::string call, std::int64_t now,
                         ApprovalActor by);
  /// Ends a pending request, or an unused approval. False if there is none.
  /// Input: `expired` or `withdrawn`, and the reason.
  Task<Result<bool>> end(Loop& loop, std::string id, ApprovalState state, std::string why,
                         std::int64_t now, ApprovalActor by);
  /// Ends all requests whose time is over, and those that are pending or approved under another
  /// policy. Returns their ids.
  Task<Result<std::vector<std::string>>> end_outdated(Loop& loop, std::string policy,
                                                      std::int64_t now);
  /// The request with that id, and its answers, oldest first.
  struct Found {
    ApprovalRequest request;
    std::vector<ApprovalAnswer> answers;
  };
  Task<Result<std::optional<Found>>> find(Loop& loop, std::string id);
  /// The pending and approved requests after the one with that id, oldest first, `count` at most.
  Task<Result<std::vector<ApprovalRequest>>> open(Loop& loop, std::string after,
                                                  std::int64_t count);
  /// A principal's requests for one target, each with its answers: the pending and approved ones,
  /// and the denied ones until `expires`. Without the details for approvers.
  Task<Result<std::vector<Found>>> of_target(Loop& loop, std::string principal, std::string server,
                                             std::string target, std::int64_t now);
  /// The number of pending requests of all principals. Waits for the disk: for metrics of the
  /// control loop.
  Task<Result<std::int64_t>> waiting(Loop& loop);

  // Called at the start, when no loop runs.

  /// When the oldest pending or approved request was made; nothing if there is none.
  Result<std::optional<std::int64_t>> oldest_open();
  /// The state of a request in the record, and its approvers.
  struct Recorded {
    ApprovalState state = ApprovalState::pending;
    std::vector<ApprovalAnswer> answers = {};
    std::int64_t at = 0;      ///< Of the last step.
    std::string digest = {};  ///< The digest that the request is bound to.
  };
  /// Brings pending and approved requests to their state in the record. Requests that the record
  /// does not confirm are withdrawn. Returns the ids of the requests that changed.
  Result<std::vector<std::string>> follow_record(std::map<std::string, Recorded> recorded,
                                                 std::int64_t now);

 private:
  Store& store_;
  Note note_;
};

}  // namespace bartizan
