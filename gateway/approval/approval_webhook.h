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
/// The most events that wait for the receiver, and the most attempts for one event. The pauses
/// between attempts begin with a second and double; each attempt has a deadline.
inline constexpr std::size_t webhook_events_max = 256;
inline constexpr int webhook_tries_max = 6;
inline constexpr std::chrono::milliseconds webhook_pause{1000};
}  // namespace limits

/// The receiver in `[approvals.webhook]`, with its files read.
struct WebhookTarget : Webhook {
  Hash files{};  ///< Digest of all files that were read, to detect a replacement.
};
using WebhookTargetPtr = std::shared_ptr<const WebhookTarget>;

/// The target of that configuration: `present` itself if nothing has changed, null without a
/// webhook.
/// Errors: config_invalid, for a secret or for authorities that cannot be read.
Result<WebhookTargetPtr> renew_webhook_target(const std::optional<ApprovalWebhookConfig>& config,
                                              const WebhookTargetPtr& present);

/// One step of a request, as the receiver gets it.
struct WebhookEvent {
  std::string id;    ///< `REQUEST.STATE`: the same for all attempts, also after a restart.
  std::string body;  ///< JSON. Never contains an argument.
};
/// The event of a step. Nothing for a step that does not change the state, such as one of several
/// approvals.
/// Input: `pages`, the URL of the console for people, without a slash at its end; empty for none.
std::optional<WebhookEvent> webhook_event(const ApprovalStep& step, std::string_view pages);

/// The results of events. Threads: any.
struct WebhookCounts {
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<std::uint64_t> dropped = 0;  ///< Because too many waited.
};

/// Sends a receiver the requests for approval and their steps, one event at a time. Its responses
/// change nothing, and nobody waits for them. Events that were not sent before the process ends are
/// lost; the record has all of them.
///
/// Lifetime: ends before the loop, and after all callers of `announce`.
/// Threads:  those of its loop, except for `announce`.
/// Bounded:  by the constants above.
class ApprovalWebhook {
 public:
  explicit ApprovalWebhook(Loop& loop) : loop_(loop), wake_(loop) {}

  /// Sends events to that target from now on. Null for none: waiting events are dropped. Input:
  /// `pages`, as for `webhook_event`.
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
