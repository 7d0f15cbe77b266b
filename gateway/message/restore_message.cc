#include "gateway/message/restore_message.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "schemas/message/splice.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// Members of an error's `data` that only the gateway may write. `uri`, `requiredCapabilities` and
/// `detail` are not here: servers have their own use for them.
constexpr std::array<std::string_view, 12> kOwnData{
    "reason",  "category",       "decision_id", "policy_rule", "remediation", "retryable",
    "pointer", "retry_after_ms", "violations",  "permission",  "approval_id", "approval_url"};

bool is_own_data(std::string_view member) {
  return std::find(kOwnData.begin(), kOwnData.end(), member) != kOwnData.end();
}

/// Members of a result's `_meta` that only the gateway may say.
bool is_own_meta(std::string_view member) {
  return member.starts_with("bartizan/");
}

/// Members of a result that are written anew where its structured content is withheld.
bool is_replaced(std::string_view member) {
  return member == "structuredContent" || member == "isError" || member == "_meta";
}

struct Kept {
  std::string members;      ///< As they stand between the braces.
  bool is_changed = false;  ///< Some were left out.
};

/// The members of an object except those that are `left_out`; empty for other values.
Kept keep_members(JsonValue object, bool (*left_out)(std::string_view)) {
  Kept kept;
  if (!object.is(JsonType::object)) return kept;
  for (const JsonValue member : object) {
    if (left_out(member.key())) {
      kept.is_changed = true;
      continue;
    }
    if (!kept.members.empty()) kept.members += ",";
    append_json_string(kept.members, member.key());
    kept.members += ":";
    kept.members += member.raw();
  }
  return kept;
}

}  // namespace

std::string restore_message(Bytes bytes, const Message& message, std::string_view id,
                            std::string_view token, std::vector<Splice> also) {
  std::vector<Splice> splices = std::move(also);
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
  return splice_in_place(std::move(bytes).release(), splices);
}

std::string restore_error(Bytes bytes, const Message& message, std::string_view id) {
  const JsonValue data = message.error.find("data");
  const Kept kept = keep_members(data, is_own_data);
  if (!kept.is_changed && message.id) return restore_message(std::move(bytes), message, id, {});
  const auto code = message.error.find("code").integer().value_or(-32603);
  return write_error(id, static_cast<int>(code), message.error.find("message").text(),
                     data.is(JsonType::object) ? "{" + kept.members + "}" : std::string());
}

std::string restore_result(Bytes bytes, const Message& message, std::string_view id) {
  const JsonValue meta = message.meta;
  const Kept kept = keep_members(meta, is_own_meta);
  if (!kept.is_changed) return restore_message(std::move(bytes), message, id, {});
  std::string result(message.result.raw());
  const std::size_t at = meta.range().begin - message.result.range().begin;
  result.replace(at, meta.range().size(), "{" + kept.members + "}");
  return write_result(id, result);
}

std::string restore_without_result(const ReceivedMessage& received, std::string_view id,
                                   std::string_view note_json, std::string_view content_json) {
  std::string result = "{";
  // The one member that says of which kind the answer is: what stands in its place asks nothing.
  if (received.message.result.find("resultType")) result += R"("resultType":"complete",)";
  result += R"("content":)" + std::string(content_json) + R"(,"isError":true,"_meta":{)";
  result += std::string(note_json) + "}}";
  return write_result(id, result);
}

std::string restore_truncated(const ReceivedMessage& received, std::string_view id,
                              std::string_view note_json, const TruncatedResult& truncated) {
  const JsonValue structured = received.message.result.find("structuredContent");
  const bool is_error = received.message.result.find("isError").boolean().value_or(false) ||
                        truncated.lacks_structured_content;
  const auto is_written_anew = [](std::string_view name) {
    return is_replaced(name) || name == "content";
  };
  std::string result = "{" + keep_members(received.message.result, is_written_anew).members;
  if (result.size() > 1) result += ",";
  result += R"("content":)" + truncated.content;
  if (truncated.keeps_structured_content)
    result += R"(,"structuredContent":)" + std::string(structured.raw());
  if (is_error) result += R"(,"isError":true)";
  const std::string meta = keep_members(received.message.meta, is_own_meta).members;
  result += R"(,"_meta":{)" + meta + (meta.empty() ? "" : ",") + std::string(note_json) + "}}";
  return write_result(id, result);
}

namespace {

enum class WithoutContent : std::uint8_t { is_error, is_as_it_was };

std::string restore_without(const ReceivedMessage& received, std::string_view id,
                            std::string_view note_json, std::string_view content_json,
                            WithoutContent what) {
  const JsonValue content = received.message.result.find("content");
  const bool is_empty = content.begin() == content.end();
  const auto is_left_out = [](std::string_view name) {
    return is_replaced(name) || name == "content";
  };
  std::string result =
      "{" + keep_members(received.message.result, is_empty ? +is_left_out : &is_replaced).members;
  if (result.size() > 1) result += ",";
  if (is_empty) {
    result += R"("content":)" + std::string(content_json) + ",";
  }
  const std::string meta = keep_members(received.message.meta, is_own_meta).members;
  const bool is_error = is_empty || what == WithoutContent::is_error ||
                        received.message.result.find("isError").boolean().value_or(false);
  if (is_error) result += R"("isError":true,)";
  result += R"("_meta":{)" + meta + (meta.empty() ? "" : ",");
  result += std::string(note_json) + "}}";
  return write_result(id, result);
}

}  // namespace

std::string restore_without_structured_content(const ReceivedMessage& received, std::string_view id,
                                               std::string_view note_json,
                                               std::string_view content_json) {
  return restore_without(received, id, note_json, content_json, WithoutContent::is_error);
}

std::string restore_without_unjudged_content(const ReceivedMessage& received, std::string_view id,
                                             std::string_view note_json,
                                             std::string_view content_json) {
  return restore_without(received, id, note_json, content_json, WithoutContent::is_as_it_was);
}

}  // namespace bartizan
