#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "config/secret_reference.h"
#include "gateway/http/http_client.h"
#include "gateway/runtime/loop.h"
#include "schemas/base/secret_text.h"

namespace bartizan {

namespace limits {
/// Of one try.
inline constexpr std::chrono::milliseconds webhook_deadline{5000};
}  // namespace limits

/// Where events are sent, each signed.
struct Webhook {
  ServerUrl url;
  SecretText secret;  ///< Of the HMAC.
  std::shared_ptr<asio::ssl::context> tls;
};

/// Reads what a webhook's configuration names: its secret, its URL, the authorities in `ca_file`,
/// those of the system where that is empty.
/// Errors: config_invalid, for what cannot be read.
Result<Webhook> open_webhook(const std::string& url, const SecretReference& secret,
                             const std::string& ca_file);

/// What came of one try.
struct WebhookTry {
  enum class Kind : std::uint8_t {
    taken,
    failed,   ///< Another try may be luckier.
    refused,  ///< The receiver would answer the same again.
  } kind = Kind::taken;
  std::string why = {};
};

/// `v1=HEX`: HMAC-SHA-256 over `TIMESTAMP.BODY`. Source: RFC 2104.
std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body);

/// Posts an event with the headers `Bartizan-Event`, its id; `Bartizan-Timestamp`, seconds since
/// 1970 of this try, so that the receiver may refuse what is old; and `Bartizan-Signature`.
/// Input:    `body` is JSON.
/// Deadline: `limits::webhook_deadline`.
Task<WebhookTry> post_event(Loop& loop, const Webhook& webhook, std::string id, std::string body);

}  // namespace bartizan
