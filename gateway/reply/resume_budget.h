#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/runtime/memory_budget.h"

namespace bartizan {

class ResumeBuffer;

/// The memory of one worker for clients that resume streams: a share of the memory budget, divided
/// among principals. New events take room from the principal that keeps most. So nobody's streams
/// depend on how much others leave behind. Calls in progress cannot be dropped, so no principal has
/// more than half.
///
/// Threads: the worker's. Bounded by the principals that have sessions on it.
class ResumeBudget {
 public:
  /// The kept memory of one principal, over all its sessions.
  struct Holder {
    std::uint64_t bytes = 0;
    std::vector<ResumeBuffer*> sessions = {};
  };

  explicit ResumeBudget(MemoryBudget& memory) : memory_(memory) {}

  /// Sets the number of workers; 1 before that.
  void set_workers(std::uint32_t workers) { workers_ = workers; }
  std::uint64_t bytes_max() const;
  /// The part of that for one principal.
  std::uint64_t principal_bytes_max() const;
  std::uint64_t bytes() const { return bytes_; }

  /// Lifetime: the holder exists until the last of its principal's sessions has left.
  Holder& join(const std::string& principal, ResumeBuffer& session);
  void leave(const std::string& principal, ResumeBuffer& session);

  /// Reserves `bytes` more. It drops this principal's older events, up to the principal's bound,
  /// and then those of the principals that keep most. Nothing if that does not suffice.
  std::optional<MemoryBudget::Reservation> take(Holder& holder, std::uint64_t bytes);
  void give_back(Holder& holder, std::uint64_t bytes);

 private:
  static bool drop_from(Holder& holder);
  bool drop_for(const Holder& holder, std::uint64_t bytes);
  bool make_room(Holder& holder, std::uint64_t bytes);

  MemoryBudget& memory_;
  std::uint32_t workers_ = 1;
  std::uint64_t bytes_ = 0;
  std::map<std::string, Holder> holders_;
};

/// Limits how often clients resume, and how many bytes: each resumption is judged, recorded and
/// written.
///
/// Threads: the worker's. Bounded by the principals that resumed in the last second, beyond
///          `kPrincipals`.
class ResumptionLimits {
  struct Spent {
    std::chrono::steady_clock::time_point since;
    std::uint32_t returns = 0;
    std::uint64_t bytes = 0;
    std::uint32_t in_progress = 0;
  };
  struct GiveBack {
    void operator()(Spent* spent) const { --spent->in_progress; }
  };

 public:
  /// The number of tracked principals beyond which those are forgotten whose second is over.
  static constexpr std::size_t kPrincipals = 1024;

  /// One resumption in progress. Lifetime: within that of the limits.
  using Place = std::unique_ptr<Spent, GiveBack>;

  /// Null if the principal resumes too often, or too many bytes, in this second. `bytes` are those
  /// that must be sent again.
  Place take(const std::string& principal, std::uint64_t bytes,
             std::chrono::steady_clock::time_point now);
  /// The number of tracked principals.
  std::size_t size() const { return spent_.size(); }

 private:
  std::map<std::string, Spent> spent_;
};

}  // namespace bartizan
