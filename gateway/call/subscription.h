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

/// Whether a judged call would go to the same servers now. Operators may have blocked one since, or
/// lifted a block. (judge_call.cc)
bool has_same_recipients(CallFrame& frame, const std::vector<Outgoing>& outgoing);

/// The state that one `subscriptions/listen` needs across reloads. The call was judged once. Its
/// messages are judged by the present policy.
///
/// Threads: those of its call.
class Subscription {
 public:
  /// Input: a call that has not left yet.
  explicit Subscription(const CallFrame& frame);

  /// What to do about the changes since the last call.
  struct Step {
    bool ends = false;  ///< Principal, key or servers changed: the client must subscribe again.
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

/// After a server accepted them, stores the resources that a session subscribed to, and its log
/// level. Updates are sent by these. Both are repeated at a server that is redefined.
/// Input: the level that was asked for, or empty.
void remember_followed(CallFrame& frame, const std::string& level);

}  // namespace bartizan
