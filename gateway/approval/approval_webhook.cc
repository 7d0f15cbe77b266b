#include "gateway/approval/approval_webhook.h"

#include <utility>

#include "config/load/load_config.h"
#include "gateway/process/read_file.h"
#include "gateway/runtime/asio.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// How often the sender checks, even if it is not woken.
constexpr std::chrono::minutes kLookEvery{1};

/// The digest of the files, without leaving a copy of the secret.
Hash digest_files(const ApprovalWebhookConfig& config, const SecretText& secret) {
  Digester digester;
  const auto hex = [&digester](std::string_view text) { return hex_text(digester.sha256(text)); };
  const std::string authorities = read_file(config.ca_file).value_or("");
  std::string all;
  for (const auto& part : {hex(config.url), hex(secret.view()), hex(authorities)})
    all.append(part.data(), part.size());
  return digester.sha256(all);
}

void append_member(std::string& json, std::string_view name, std::string_view text) {
  json += ',' + json_string(name) + ':' + json_string(text);
}

void append_member(std::string& json, std::string_view name, std::int64_t number) {
  json += ',' + json_string(name) + ':' + std::to_string(number);
}

}  // namespace

Result<WebhookTargetPtr> renew_webhook_target(const std::optional<ApprovalWebhookConfig>& config,
                                              const WebhookTargetPtr& present) {
  if (!config.has_value()) return nullptr;
  const auto refuse = [](const Error& error) {
    return fail(ErrorCode::config_invalid, Fault::gateway, "[approvals.webhook]: " + error.detail);
  };
  Result<SecretText> secret = read_secret(config->secret);
  if (!secret.has_value()) return refuse(secret.error());
  const Hash files = digest_files(*config, *secret);
  if (present != nullptr && present->files == files) return present;
  Result<Webhook> webhook = open_webhook(config->url, config->secret, config->ca_file);
  if (!webhook.has_value()) return refuse(webhook.error());
  return std::make_shared<const WebhookTarget>(WebhookTarget{*std::move(webhook), files});
}

std::optional<WebhookEvent> webhook_event(const ApprovalStep& step, std::string_view pages) {
  const ApprovalRequest& request = step.request;
  // A new request has the call of its caller; an answer has none.
  if (request.state == ApprovalState::pending && step.by.call.empty()) return std::nullopt;
  const std::string_view state = text(request.state);
  WebhookEvent event{.id = request.id + '.', .body = R"({"id":)" + json_string(request.id)};
  event.id += state;
  std::string& json = event.body;
  append_member(json, "state", state);
  append_member(json, "principal", request.principal);
  if (!request.endpoint.empty()) append_member(json, "endpoint", request.endpoint);
  append_member(json, "server", request.server);
  append_member(json, "method", request.method);
  append_member(json, "target", request.target);
  append_member(json, "rule", request.rule);
  append_member(json, "digest", request.digest);
  append_member(json, "needed", request.needed);
  append_member(json, "made_at", request.made_at);
  append_member(json, "ends_at", request.ends_at);
  if (request.decided_at > 0) append_member(json, "decided_at", request.decided_at);
  if (!pages.empty()) {
    append_member(json, "url", std::string(pages) + "/approvals/" + request.id);
  }
  json += '}';
  return event;
}

void ApprovalWebhook::configure(WebhookTargetPtr target, std::string pages) {
  const std::lock_guard lock(mutex_);
  target_ = std::move(target);
  pages_ = std::move(pages);
  if (target_ == nullptr) waiting_.clear();
}

/// The oldest event is dropped, since later ones are more informative.
void ApprovalWebhook::announce(const ApprovalStep& step) {
  bool was_empty = false;
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    if (target_ == nullptr) return;
    std::optional<WebhookEvent> event = webhook_event(step, pages_);
    if (!event.has_value()) return;
    was_empty = waiting_.empty();
    if (waiting_.size() >= limits::webhook_events_max) {
      waiting_.pop_front();
      ++counts_->dropped;
      is_full = !std::exchange(is_full_told_, true);
    }
    waiting_.push_back(*std::move(event));
  }
  if (is_full) {
    log(LogLevel::warning, "approval webhook is behind",
        {{"detail", "too many events wait, and the oldest are dropped"}});
  }
  if (was_empty) asio::post(loop_.io(), [this] { wake_.notify(); });
}

WebhookTargetPtr ApprovalWebhook::target() {
  const std::lock_guard lock(mutex_);
  return target_;
}

std::optional<WebhookEvent> ApprovalWebhook::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    is_full_told_ = false;
    return std::nullopt;
  }
  WebhookEvent event = std::move(waiting_.front());
  waiting_.pop_front();
  return event;
}

Task<void> ApprovalWebhook::run() {
  while (true) {
    if (auto event = take()) {
      co_await deliver(*std::move(event));
    } else {
      co_await wake_.wait(kLookEvery);
    }
  }
}

Task<void> ApprovalWebhook::deliver(WebhookEvent event) {
  Signal pause(loop_);
  std::chrono::milliseconds wait = limits::webhook_pause;
  for (int tries = 1;; ++tries) {
    // A reload may have changed it since the last attempt.
    const WebhookTargetPtr where = target();
    if (where == nullptr) co_return;
    const WebhookTry result = co_await post_event(loop_, *where, event.id, event.body);
    if (result.kind == WebhookTry::Kind::taken) {
      ++counts_->sent;
      co_return;
    }
    if (result.kind == WebhookTry::Kind::refused || tries == limits::webhook_tries_max) {
      ++counts_->failed;
      log(LogLevel::warning, "approval webhook failed",
          {{"event", event.id}, {"tries", tries}, {"detail", result.why}});
      co_return;
    }
    co_await pause.wait(wait);
    wait *= 2;
  }
}

}  // namespace bartizan
