#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "policy/access/approval_check.h"
#include "policy/verdict/decision.h"
#include "schemas/base/text_hash.h"

namespace bartizan {

/// Whether a call of a tool with these labels leaves a mark for flows.
bool leaves_mark(const std::vector<ToolLabel>& labels);

/// The marks of a session or a principal: for each label, when such a tool was called last.
class FlowMarks {
 public:
  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.

  /// Marks the labels that describe a tool's results.
  void mark(const std::vector<ToolLabel>& labels, Time now);
  std::optional<Time> marked(ToolLabel label) const;
  /// Notes the class of a call.
  void mark(const CallClass& its, Time now);
  /// The highest class of calls since then.
  CallClass highest(Time since) const;
  /// When anything was marked last.
  std::optional<Time> latest() const;

 private:
  std::array<std::optional<Time>, 2> times_;  ///< Of `untrusted` and `private`.
  /// The time of the last call, by risk and by reversibility.
  std::array<std::optional<Time>, kRiskNames.size()> risks_;
  std::array<std::optional<Time>, kReversibilityNames.size()> reversibilities_;
};

/// The compiled flows of one policy: which labels of earlier calls exclude which other labels.
///
/// Threads: immutable once built.
class FlowSet {
 public:
  using Time = FlowMarks::Time;

  explicit FlowSet(const Config& config);

  /// How long marks count: for ever in a session, otherwise for a flow's window.
  enum class Memory : std::uint8_t { session, window };
  /// The caller, and the approvals of this call. Lifetime: views what it was made from.
  struct Caller {
    std::string_view principal;
    std::span<const Approval> approvals = {};
    bool assumes_approval = false;  ///< As if the call was approved.
    std::int64_t now = 0;           ///< Seconds since 1970 UTC.
  };
  /// The decision about a call of a tool with these labels: `pass`, or the refusal of the first
  /// flow by name whose `after` are all marked, and that is not approved.
  Decision judge(const std::vector<ToolLabel>& labels, const FlowMarks& marks, Memory memory,
                 Time now, const Caller& caller) const;

  /// Whether a flow looks for any of these labels among what was read.
  bool looks_for(const std::vector<ToolLabel>& labels) const;
  /// The longest time that marks without a session matter. An hour if there is no flow, so that a
  /// flow which a reload adds can use earlier marks.
  Time window() const { return window_; }

 private:
  struct Flow {
    FlowConfig config;
    RuleInfo info;
  };

  bool is_approved(const Flow& flow, const Caller& caller) const;
  static bool is_ruled_out(const FlowConfig& flow, const FlowMarks& marks, Memory memory, Time now);

  std::vector<Flow> flows_;  ///< By name.
  Persons persons_;
  Time window_ = std::chrono::hours(1);
};

/// The marks of principals without sessions. Bounded: at its capacity it forgets marks that no flow
/// uses any more. If there are none, it accepts no further principal, and the call that would leave
/// the mark is refused.
///
/// Threads: one at a time; the gateway guards it.
class FlowTable {
 public:
  using Time = FlowMarks::Time;

  explicit FlowTable(std::size_t principals_max = 65'536) : principals_max_(principals_max) {}

  FlowMarks find(std::string_view principal) const;
  /// False where there is no room. `window` is how long marks matter.
  bool mark(std::string_view principal, const std::vector<ToolLabel>& labels, const CallClass& its,
            Time window, Time now);
  std::size_t size() const { return marks_.size(); }

 private:
  std::size_t principals_max_;
  std::unordered_map<std::string, FlowMarks, TextHash, std::equal_to<>> marks_;
};

}  // namespace bartizan
