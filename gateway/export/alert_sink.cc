#include "gateway/export/alert_sink.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "gateway/export/alert_event.h"
#include "gateway/export/run_program.h"
#include "gateway/http/webhook.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// The name of the group for events without room for a group of their own.
constexpr std::string_view kOthers = "others";
/// The most attempts for an event, with pauses that double: about a minute. The record has the
/// event.
constexpr int kTries = 8;
constexpr std::chrono::milliseconds kPauseMin{250};

class AlertSink : public Sink {
 public:
  AlertSink(Loop& loop, const AlertConfig& config, const Launcher& launcher,
            std::optional<Webhook> webhook)
      : loop_(loop), config_(config), launcher_(launcher), webhook_(std::move(webhook)) {}

  /// Groups similar events of one batch. A failed event is sent again by `flush`, so that it delays
  /// no other.
  Task<Delivery> send(const RecordOrigin& origin,
                      std::span<const ExportedRecord> records) override {
    for (const ExportedRecord& record : records) {
      if (record.sequence <= taken_) continue;
      add(origin, record);
      taken_ = record.sequence;
    }
    co_return co_await tell_due(false);
  }

  Task<Delivery> send_head(const RecordOrigin&, std::string_view) override { co_return Delivery{}; }

  bool holds_back() const override {
    return std::ranges::any_of(groups_,
                               [](const auto& entry) { return entry.second.first.has_value(); });
  }

  Task<Delivery> flush(bool is_ending) override { co_return co_await tell_due(is_ending); }

 private:
  struct Group {
    std::optional<AlertEvent> first;  ///< Until it was sent.
    AlertEvent repeats;               ///< Later events of the group; none while `count` is 0.
    Clock::time_point ends;
    int tries = 0;  ///< Failed attempts of what is due.
    Clock::time_point next_try;
  };

  void add(const RecordOrigin& origin, const ExportedRecord& record) {
    std::string key = alert_key(*record.record);
    const bool is_full = groups_.size() >= limits::alert_groups_max && !groups_.contains(key);
    if (is_full) key = kOthers;
    const auto [found, is_new] = groups_.try_emplace(std::move(key));
    Group& group = found->second;
    AlertEvent event = alert_event(origin, record);
    if (is_new) {
      group.first = std::move(event);
      group.ends = steady_now() + config_.group;
      group.repeats.count = 0;
    } else if (group.first.has_value()) {
      ++group.first->count;
      group.first->last_time = event.last_time;
    } else if (group.repeats.count == 0) {
      group.repeats = std::move(event);
    } else {
      ++group.repeats.count;
      group.repeats.last_time = event.last_time;
    }
  }

  /// Sends what is due of each group. A failed event has a pause of its own.
  Task<Delivery> tell_due(bool is_ending) {
    Delivery delivery;
    for (auto entry = groups_.begin(); entry != groups_.end();) {
      Group& group = entry->second;
      const auto now = steady_now();
      const bool is_over = is_ending || now >= group.ends;
      const bool has_repeats = is_over && group.repeats.count > 0;
      const bool is_due = (group.first.has_value() || has_repeats) && now >= group.next_try;
      if (is_due && !co_await tell_group(group, delivery)) {
        ++entry;
        continue;
      }
      const bool is_done = is_over && !group.first.has_value() && group.repeats.count == 0;
      entry = is_done ? groups_.erase(entry) : std::next(entry);
    }
    co_return delivery;
  }

  /// False if it was not sent, and must be sent again.
  Task<bool> tell_group(Group& group, Delivery& delivery) {
    const bool is_repeat = !group.first.has_value();
    const std::uint64_t count = is_repeat ? group.repeats.count : group.first->count;
    const std::string why = co_await tell(is_repeat ? group.repeats : *group.first, is_repeat);
    const bool is_given_up = !why.empty() && ++group.tries >= kTries;
    if (!why.empty() && !is_given_up) {
      if (group.tries == 1) {
        log(LogLevel::warning, "alert not sent",
            {{"alert", config_.name}, {"detail", why + "; the gateway tries again"}});
      }
      group.next_try = steady_now() + kPauseMin * (1 << group.tries);
      co_return false;
    }
    if (is_given_up) {
      delivery.refused += count;
      delivery.why = why;
    }
    group.tries = 0;
    group.next_try = {};
    if (is_repeat) {
      group.repeats.count = 0;
    } else {
      group.first.reset();
    }
    co_return true;
  }

  /// Why it was not sent; empty if it was.
  Task<std::string> tell(const AlertEvent& event, bool is_repeat) {
    std::string json = alert_json(config_.name, event, is_repeat);
    if (webhook_.has_value()) {
      const std::string id = event.id + (is_repeat ? ".repeats" : "");
      // A wrong path or secret can be corrected, so no response ends the attempts.
      const WebhookTry tried = co_await post_event(loop_, *webhook_, id, std::move(json));
      co_return tried.why;
    }
    json += '\n';
    const Result<void> run =
        co_await run_program(loop_, launcher_, config_.command, std::move(json));
    co_return run.has_value() ? std::string() : run.error().detail;
  }

  Loop& loop_;
  AlertConfig config_;
  const Launcher& launcher_;
  std::optional<Webhook> webhook_;
  std::map<std::string, Group, std::less<>> groups_;
  std::uint64_t taken_ = 0;  ///< Records up to this one are in a group, or were sent.
};

}  // namespace

Result<std::unique_ptr<Sink>> open_alert_sink(Loop& loop, const AlertConfig& config,
                                              const Launcher& launcher) {
  std::optional<Webhook> webhook;
  if (!config.url.empty()) {
    Result<Webhook> opened = open_webhook(config.url, config.secret, config.ca_file);
    if (!opened.has_value()) return std::unexpected(opened.error());
    webhook = *std::move(opened);
  }
  return std::make_unique<AlertSink>(loop, config, launcher, std::move(webhook));
}

}  // namespace bartizan
