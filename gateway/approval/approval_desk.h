#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/message/pending_call.h"
#include "gateway/record/shared_log.h"
#include "gateway/store/approvals.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

namespace limits {
/// The most calls held at a time, of one principal and in total.
inline constexpr std::ptrdiff_t held_calls_of_principal_max = 32;
inline constexpr std::size_t held_calls_max = 1024;
}  // namespace limits

/// Signs a decision, as a compact JWS. A decision that cannot be signed is refused.
/// Threads: the store's.
using SignDecision = std::function<Result<std::string>(const ApprovalStep&)>;

/// The desk for calls that wait for approval. Each step is recorded before it is stored, and stored
/// before it has an effect. A held call is woken when its request takes a step.
///
/// Threads:  any.
/// Lifetime: that of the record, and of the store.
/// Bounded:  by `limits::approvals_max`, and by the held calls.
class ApprovalDesk {
 public:
  ApprovalDesk(std::shared_ptr<Store> store, SharedLog& log);

  /// Signs decisions with this from now on; null for none. Without it, `ApprovalAnswer::proof` is
  /// kept only for decisions that were signed elsewhere. Threads: any.
  void sign_with(SignDecision sign);
  /// Sets a listener for each step that was taken, without the call that approvers see. Called
  /// before there are clients. Threads: those of any worker.
  void announce_to(std::function<void(const ApprovalStep&)> announce);

  // The steps of `Approvals`.
  Task<Result<bool>> add(Loop& loop, ApprovalRequest request, ApprovalActor by);
  Task<Result<AnsweredApproval>> answer(Loop& loop, ApprovalAnswer answer, ApprovalActor by);
  Task<Result<bool>> use(Loop& loop, std::string id, std::string call, std::int64_t now,
                         ApprovalActor by);
  Task<Result<bool>> end(Loop& loop, std::string id, ApprovalState state, std::string why,
                         std::int64_t now, ApprovalActor by);
  Task<Result<bool>> end_outdated(Loop& loop, std::string policy, std::int64_t now);
  /// For look-ups.
  Approvals& table() { return table_; }
  /// `steps`: the number of steps to that state since the process began. `waiting`: the number of
  /// waiting requests, as of the last `end_outdated`.
  std::uint64_t steps(ApprovalState state) const {
    return steps_[static_cast<std::size_t>(state)].load(std::memory_order_relaxed);
  }
  std::int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

  /// A held call's subscription: while this lives, each step of the request wakes the call
  /// (`PendingCall::wake`).
  class Watch {
   public:
    Watch() = default;
    Watch(Watch&& other) noexcept : desk_(std::exchange(other.desk_, nullptr)) {
      number_ = other.number_;
    }
    Watch& operator=(Watch&& other) noexcept {
      std::swap(desk_, other.desk_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~Watch() {
      if (desk_ != nullptr) desk_->forget(number_);
    }

   private:
    friend class ApprovalDesk;
    ApprovalDesk* desk_ = nullptr;
    std::uint64_t number_ = 0;
  };
  /// Subscribes a held call to a request. Nothing if the principal has
  /// `limits::held_calls_of_principal_max`, or there are `limits::held_calls_max`. Such a call is
  /// not held.
  std::optional<Watch> watch(std::string request, std::string principal,
                             std::shared_ptr<PendingCall> held);
  /// Wakes all held calls: the process is about to end.
  void wake_all();

 private:
  struct Waiter {
    std::string request;
    std::string principal;
    std::shared_ptr<PendingCall> held;
  };
  /// The part that the store's thread uses, which may outlive this.
  struct Signer {
    Result<std::string> proof_of(const ApprovalStep& step);

    std::mutex mutex;
    SignDecision sign;
    std::vector<ApprovalStep> taken;  ///< Recorded, and not announced yet.
  };

  static Approvals::Note note_in(SharedLog& log, std::shared_ptr<Signer> signer);
  void forget(std::uint64_t number);
  void wake(std::string_view request);
  void announce();

  std::shared_ptr<Store> store_;
  std::shared_ptr<Signer> signer_;
  Approvals table_;
  std::function<void(const ApprovalStep&)> announce_;
  std::mutex mutex_;
  std::map<std::uint64_t, Waiter> waiters_;
  std::uint64_t last_ = 0;
  std::array<std::atomic<std::uint64_t>, kApprovalStates> steps_{};
  std::atomic<std::int64_t> waiting_ = 0;
};

/// Why that principal cannot answer the request, as a sentence; nothing if it can.
std::optional<std::string> refusal_of_approver(const Policy& policy, const ApprovalRequest& request,
                                               const Principal& approver);

}  // namespace bartizan
