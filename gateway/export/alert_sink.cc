#include "gateway/export/alert_sink.h"

#include <map>
#include <optional>
#include <utility>

#include "config/load/load_config.h"
#include "gateway/export/alert_event.h"
#include "gateway/export/run_program.h"
#include "gateway/http/webhook.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// What is told of events for which there is no room to be told apart.
constexpr std::string_view kOthers = "others";

class AlertSink : public Sink {
 public:
  AlertSink(Loop& loop, const AlertConfig& config, const Launcher& launcher,
            std::optional<Webhook> webhook)
      : loop_(loop), config_(config), launcher_(launcher), webhook_(std::move(webhook)) {}

  /// Events of one batch that are alike are one. What was told is not told again, if a later one of
  /// the batch fails and the batch comes once more.
  Task<Delivery> send(const RecordOrigin& origin,
                      std::span<const ExportedRecord> records) override {
    for (const ExportedRecord& record : records) {
      if (record.sequence <= taken_) continue;
      add(origin, record);
      taken_ = record.sequence;
    }
    co_return co_await tell_new();
  }

  Task<Delivery> send_head(const RecordOrigin&, std::string_view) override { co_return Delivery{}; }

  Task<Delivery> flush(bool is_ending) override {
    Delivery delivery = co_await tell_new();
    if (delivery.kind != Delivery::Kind::taken) co_return delivery;
    const auto now = steady_now();
    for (auto group = groups_.begin(); group != groups_.end();) {
      if (!is_ending && now < group->second.ends) {
        ++group;
        continue;
      }
      if (group->second.repeats.count > 0) {
        delivery = co_await tell(group->second.repeats, true);
        if (delivery.kind == Delivery::Kind::failed) co_return delivery;
      }
      group = groups_.erase(group);
    }
    co_return delivery;
  }

 private:
  struct Group {
    std::optional<AlertEvent> first;  ///< Until it was told.
    AlertEvent repeats;               ///< Those behind it; none while `count` is 0.
    Clock::time_point ends;
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

  Task<Delivery> tell_new() {
    for (auto& [key, group] : groups_) {
      if (!group.first.has_value()) continue;
      Delivery delivery = co_await tell(*group.first, false);
      if (delivery.kind == Delivery::Kind::failed) co_return delivery;
      group.first.reset();
    }
    co_return Delivery{};
  }

  Task<Delivery> tell(const AlertEvent& event, bool is_repeat) {
    std::string json = alert_json(config_.name, event, is_repeat);
    if (webhook_.has_value()) {
      const std::string id = event.id + (is_repeat ? ".repeats" : "");
      const WebhookTry tried = co_await post_event(loop_, *webhook_, id, std::move(json));
      if (tried.kind == WebhookTry::Kind::taken) co_return Delivery{};
      co_return Delivery{.kind = tried.kind == WebhookTry::Kind::failed ? Delivery::Kind::failed
                                                                        : Delivery::Kind::refused,
                         .why = tried.why};
    }
    json += '\n';
    const Result<void> run =
        co_await run_program(loop_, launcher_, config_.command, std::move(json));
    if (run.has_value()) co_return Delivery{};
    co_return Delivery{.kind = Delivery::Kind::failed, .why = run.error().detail};
  }

  Loop& loop_;
  AlertConfig config_;
  const Launcher& launcher_;
  std::optional<Webhook> webhook_;
  std::map<std::string, Group, std::less<>> groups_;
  std::uint64_t taken_ = 0;  ///< Records up to it are in a group, or were told.
};

}  // namespace

Result<std::unique_ptr<Sink>> open_alert_sink(Loop& loop, const AlertConfig& config,
                                              const Launcher& launcher) {
  std::optional<Webhook> webhook;
  if (!config.url.empty()) {
    Result<SecretText> secret = read_secret(config.secret);
    if (!secret.has_value()) return std::unexpected(secret.error());
    Result<ServerUrl> url = parse_server_url(config.url);
    if (!url.has_value()) return std::unexpected(url.error());
    auto tls = make_client_tls(config.ca_file);
    if (!tls.has_value()) return std::unexpected(tls.error());
    webhook.emplace(*std::move(url), *std::move(secret), *std::move(tls));
  }
  return std::make_unique<AlertSink>(loop, config, launcher, std::move(webhook));
}

}  // namespace bartizan
