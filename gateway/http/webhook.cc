#include "gateway/http/webhook.h"

#include <utility>

#include "audit/digest.h"
#include "config/load/load_config.h"
#include "gateway/http/fetch_document.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;

}  // namespace

std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body) {
  return "v1=" + hex_of(Hmac(secret).digest(std::string(timestamp) + '.' + std::string(body)));
}

Result<Webhook> open_webhook(const std::string& url, const SecretReference& secret,
                             const std::string& ca_file) {
  Result<SecretText> read = read_secret(secret);
  if (!read.has_value()) return std::unexpected(read.error());
  Result<ServerUrl> parsed = parse_server_url(url);
  if (!parsed.has_value()) return std::unexpected(parsed.error());
  auto tls = make_client_tls(ca_file);
  if (!tls.has_value()) return std::unexpected(tls.error());
  return Webhook{*std::move(parsed), *std::move(read), *std::move(tls)};
}

Task<WebhookTry> post_event(Loop& loop, const Webhook& webhook, std::string id, std::string body) {
  const std::string timestamp = std::to_string(seconds_now());
  DocumentRequest request{.url = webhook.url, .deadline = limits::webhook_deadline};
  request.wants_body = false;
  request.headers = {
      {"Bartizan-Event", std::move(id)},
      {"Bartizan-Timestamp", timestamp},
      {"Bartizan-Signature", webhook_signature(webhook.secret.view(), timestamp, body)}};
  request.json = std::move(body);
  const Result<FetchedDocument> answer =
      co_await fetch_document(loop, webhook.tls, std::move(request));
  if (!answer.has_value()) {
    co_return WebhookTry{WebhookTry::Kind::failed, answer.error().detail};
  }
  const int status = answer->status;
  if (status >= 200 && status < 300) co_return WebhookTry{};
  const bool may_pass = status >= 500 || status == kRequestTimeout || status == kTooManyRequests;
  co_return WebhookTry{may_pass ? WebhookTry::Kind::failed : WebhookTry::Kind::refused,
                       "answered with status " + std::to_string(status)};
}

}  // namespace bartizan
