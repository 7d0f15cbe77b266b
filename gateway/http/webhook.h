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
/// Limit of one attempt.
inline constexpr std::chrono::milliseconds webhook_deadline{5000};
}  // namespace limits

/// The receiver of signed events.
struct Webhook {
  ServerUrl url;
  SecretText secret;  ///< The key of the HMAC.
  std::shared_ptr<asio::ssl::context> tls;
};

/// Opens a webhook from its configuration: its URL, its secret, and the authorities in `ca_file`,
/// or the system's if that is empty.
/// Errors: config_invalid for anything that cannot be read.
Result<Webhook> open_webhook(const std::string& url, const SecretReference& secret,
                             const std::string& ca_file);

/// The result of one attempt.
struct WebhookTry {
  enum class Kind : std::uint8_t {
    taken,
    failed,   ///< Another attempt may succeed.
    refused,  ///< The receiver would respond the same again.
  } kind = Kind::taken;
  std::string why = {};
};

/// `v1=HEX`: HMAC-SHA-256 over `TIMESTAMP.BODY`. Source: RFC 2104.
std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body);

/// Posts an event with three headers: `Bartizan-Event`, its id; `Bartizan-Timestamp`, seconds since
/// 1970 of this attempt, so that the receiver can refuse old ones; and `Bartizan-Signature`.
/// Input:    `body` is JSON.
/// Deadline: `limits::webhook_deadline`.
Task<WebhookTry> post_event(Loop& loop, const Webhook& webhook, std::string id, std::string body);

}  // namespace bartizan
