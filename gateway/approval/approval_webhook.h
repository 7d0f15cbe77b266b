#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "audit/digest.h"
#include "config/approval_config.h"
#include "gateway/http/webhook.h"
#include "gateway/runtime/signal.h"
#include "gateway/store/approvals.h"

namespace bartizan {

namespace limits {
/// Events that wait for the receiver, and how often one is sent before it is given up. The pauses
/// between begin with a second and double; each try has a deadline.
inline constexpr std::size_t webhook_events_max = 256;
inline constexpr int webhook_tries_max = 6;
inline constexpr std::chrono::milliseconds webhook_pause{1000};
}  // namespace limits

/// Where events are sent, as `[approvals.webhook]` says: what it names was read.
struct WebhookTarget : Webhook {
  Hash files{};  ///< Of all that was read: shows that something was replaced.
};
using WebhookTargetPtr = std::shared_ptr<const WebhookTarget>;

/// What is to be sent by that configuration: `present` itself where that has not changed, null
/// without a webhook.
/// Errors: config_invalid, for a secret or for authorities that cannot be read.
Result<WebhookTargetPtr> renew_webhook_target(const std::optional<ApprovalWebhookConfig>& config,
                                              const WebhookTargetPtr& present);

/// One step of a request, as the receiver is told of it.
struct WebhookEvent {
  std::string id;    ///< `REQUEST.STATE`: one over all tries, and over a restart.
  std::string body;  ///< JSON. Never an argument.
};
/// Nothing for a step that leaves the request where it was: one of several approvals.
/// Input: where the console is for people, without a slash at its end; empty for nowhere.
std::optional<WebhookEvent> webhook_event(const ApprovalStep& step, std::string_view pages);

/// What became of events. Threads: any.
struct WebhookCounts {
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<std::uint64_t> dropped = 0;  ///< Since too many waited.
};

/// Tells a receiver of requests for approval and of what becomes of them, one event after the
/// other. What it answers changes nothing, and nobody waits for it. What was not sent when the
/// process ends is lost; the record has all.
///
/// Lifetime: ends before the loop, and after all that announce.
/// Threads:  those of its loop, but for `announce`.
/// Bounded:  by the constants above.
class ApprovalWebhook {
 public:
  explicit ApprovalWebhook(Loop& loop) : loop_(loop), wake_(loop) {}

  /// From now on events go there; null for nowhere, and what waits is forgotten. Input: as
  /// `webhook_event` for `pages`.
  void configure(WebhookTargetPtr target, std::string pages);
  /// Threads: any.
  void announce(const ApprovalStep& step);
  /// Sends until the loop ends.
  Task<void> run();

  std::shared_ptr<const WebhookCounts> counts() const { return counts_; }

 private:
  std::optional<WebhookEvent> take();
  WebhookTargetPtr target();
  Task<void> deliver(WebhookEvent event);

  Loop& loop_;
  Signal wake_;
  std::mutex mutex_;
  WebhookTargetPtr target_;
  std::string pages_;
  std::deque<WebhookEvent> waiting_;
  bool is_full_told_ = false;
  std::shared_ptr<WebhookCounts> counts_ = std::make_shared<WebhookCounts>();
};

}  // namespace bartizan
