#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/resolve_target.h"
#include "gateway/worker/list_changes.h"

namespace bartizan {

struct Outgoing;

/// Whether a call that was judged would go to the same servers now: operators may have blocked one
/// since, or lifted that. (judge_call.cc)
bool has_same_recipients(CallFrame& frame, const std::vector<Outgoing>& outgoing);

/// What one `subscriptions/listen` needs to go on when the configuration is replaced under it: the
/// call was judged once, and what it lets through is judged by the policy of the moment.
///
/// Threads: those of its call.
class Subscription {
 public:
  /// Input: a call that has not left yet.
  explicit Subscription(const CallFrame& frame);

  /// What to do about everything that has changed since the last time.
  struct Step {
    bool ends = false;  ///< Its principal, key or servers are not what they were: listen anew.
    std::vector<std::string> messages = {};  ///< For the client: lists that have changed.
  };
  Task<Step> look(const CallFrame& frame);

  /// The resources that the client asked for under URIs that name their server.
  const Followed& named() const { return named_; }

 private:
  std::uint64_t views_;
  std::uint64_t blocks_;  ///< The version of what operators blocked.
  View seen_;
  Participation servers_;
  Followed named_;
  ChangedLists wanted_;  ///< The kinds of change that the client listens for.
};

/// Remembers, after a server has said yes, which resources a session follows, to know whom an
/// update is for, and the level of its log: both are repeated to a server that is defined anew.
/// Input: the level that was asked for, or empty.
void remember_followed(CallFrame& frame, const std::string& level);

}  // namespace bartizan
