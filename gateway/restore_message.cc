#include "gateway/restore_message.h"

#include <algorithm>
#include <array>
#include <vector>

#include "schemas/splice.h"
#include "schemas/write_message.h"

namespace bartizan {
namespace {

/// Members of an error's `data` that only the gateway may say.
constexpr std::array<std::string_view, 8> kOwnData{"reason",         "category",    "decision_id",
                                                   "policy_rule",    "remediation", "retryable",
                                                   "retry_after_ms", "pointer"};

bool is_own_data(std::string_view member) {
  return std::find(kOwnData.begin(), kOwnData.end(), member) != kOwnData.end();
}

}  // namespace

std::string restore_message(const ReceivedMessage& received, std::string_view id,
                            std::string_view token) {
  const Message& message = received.message;
  std::vector<Splice> splices;
  if (message.is_answer() && message.id) {
    splices.push_back({SpliceKind::request_id, message.id.range(), std::string(id)});
  }
  if (message.is_notification() && message.progress_token) {
    splices.push_back(
        {SpliceKind::progress_token, message.progress_token.range(), std::string(token)});
  }
  if (const JsonValue subscription = message.meta.find(meta_key::subscription_id)) {
    splices.push_back({SpliceKind::subscription_id, subscription.range(), std::string(id)});
  }
  sort_splices(splices);
  std::string wire;
  append_spliced(wire, received.bytes.view(), splices);
  return wire;
}

std::string restore_error(const ReceivedMessage& received, std::string_view id) {
  const Message& message = received.message;
  const JsonValue data = message.error.find("data");
  bool poses = !message.id;
  std::string kept = "{";
  for (const JsonValue member : data) {
    if (!data.is(JsonType::object)) break;
    if (is_own_data(member.key())) {
      poses = true;
      continue;
    }
    if (kept.size() > 1) kept += ",";
    append_json_string(kept, member.key());
    kept += ":";
    kept += member.raw();
  }
  if (!poses) return restore_message(received, id, {});
  const auto code = message.error.find("code").integer().value_or(-32603);
  return write_error(id, static_cast<int>(code), message.error.find("message").text(),
                     data.is(JsonType::object) ? kept + "}" : std::string());
}

std::string restore_result(const ReceivedMessage& received, std::string_view id) {
  constexpr std::string_view own_prefix = "bartizan/";
  const JsonValue meta = received.message.meta;
  bool poses = false;
  std::string kept = "{";
  for (const JsonValue member : meta) {
    if (!meta.is(JsonType::object)) break;
    if (member.key().starts_with(own_prefix)) {
      poses = true;
      continue;
    }
    if (kept.size() > 1) kept += ",";
    append_json_string(kept, member.key());
    kept += ":";
    kept += member.raw();
  }
  if (!poses) return restore_message(received, id, {});
  std::string result(received.message.result.raw());
  const std::size_t at = meta.range().begin - received.message.result.range().begin;
  result.replace(at, meta.range().size(), kept + "}");
  return write_result(id, result);
}

}  // namespace bartizan
