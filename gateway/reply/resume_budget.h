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

/// What one worker may keep for clients that come back: a share of the memory budget, divided among
/// principals. Who needs room takes it from who keeps most, so nobody's streams depend on how much
/// others leave lying about; and as calls in progress cannot be dropped, nobody has more than half.
///
/// Threads: the worker's. Bounded by the principals that have sessions on it.
class ResumeBudget {
 public:
  /// What one principal keeps here, over all its sessions.
  struct Holder {
    std::uint64_t bytes = 0;
    std::vector<ResumeBuffer*> sessions = {};
  };

  explicit ResumeBudget(MemoryBudget& memory) : memory_(memory) {}

  /// Of how many workers this one is; until told, the only one.
  void set_workers(std::uint32_t workers) { workers_ = workers; }
  std::uint64_t bytes_max() const;
  /// Of that, for one principal.
  std::uint64_t principal_bytes_max() const;
  std::uint64_t bytes() const { return bytes_; }

  /// Lifetime: the holder is there until the last of its principal's sessions has left.
  Holder& join(const std::string& principal, ResumeBuffer& session);
  void leave(const std::string& principal, ResumeBuffer& session);

  /// Room for `bytes` more, at the cost of what is older and, beyond this principal's bound, of who
  /// keeps most. Nothing where that does not help.
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

/// How often clients come back, and for how much: each return is judged, recorded and written.
///
/// Threads: the worker's. Bounded by the principals that came back in the last second, beyond
/// `kPrincipals`.
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
  /// So many are kept track of before those are forgotten whose second is over.
  static constexpr std::size_t kPrincipals = 1024;

  /// One return that is in progress. Lifetime: within that of the limits.
  using Place = std::unique_ptr<Spent, GiveBack>;

  /// Null where the principal comes back too often, or for too much, in this second. `bytes` are
  /// those that are to be sent again.
  Place take(const std::string& principal, std::uint64_t bytes,
             std::chrono::steady_clock::time_point now);
  /// How many principals are kept track of.
  std::size_t size() const { return spent_.size(); }

 private:
  std::map<std::string, Spent> spent_;
};

}  // namespace bartizan
