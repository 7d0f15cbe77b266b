#include "schemas/message/protocol_member.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "schemas/message/message.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 6> kEnvelopeMembers{"jsonrpc", "id",     "method",
                                                           "params",  "result", "error"};

/// The members of `params` of every method of all five revisions and of the tasks extension.
constexpr std::array<std::string_view, 50> kParamsMembers{"_meta",
                                                          "argument",
                                                          "arguments",
                                                          "capabilities",
                                                          "clientInfo",
                                                          "context",
                                                          "createdAt",
                                                          "cursor",
                                                          "data",
                                                          "elicitationId",
                                                          "error",
                                                          "includeContext",
                                                          "inputRequests",
                                                          "inputResponses",
                                                          "lastUpdatedAt",
                                                          "level",
                                                          "logger",
                                                          "maxTokens",
                                                          "message",
                                                          "messages",
                                                          "metadata",
                                                          "mode",
                                                          "modelPreferences",
                                                          "name",
                                                          "notifications",
                                                          "pollInterval",
                                                          "pollIntervalMs",
                                                          "progress",
                                                          "progressToken",
                                                          "protocolVersion",
                                                          "reason",
                                                          "ref",
                                                          "requestId",
                                                          "requestState",
                                                          "requestedSchema",
                                                          "result",
                                                          "status",
                                                          "statusMessage",
                                                          "stopSequences",
                                                          "systemPrompt",
                                                          "task",
                                                          "taskId",
                                                          "temperature",
                                                          "toolChoice",
                                                          "tools",
                                                          "total",
                                                          "ttl",
                                                          "ttlMs",
                                                          "uri",
                                                          "url"};

constexpr std::array<std::string_view, 12> kMetaMembers{
    meta_key::protocol_version,
    meta_key::client_capabilities,
    meta_key::client_info,
    meta_key::log_level,
    meta_key::server_info,
    meta_key::subscription_id,
    meta_key::progress_token,
    "io.modelcontextprotocol/related-task",
    "io.modelcontextprotocol/model-immediate-response",
    "traceparent",
    "tracestate",
    "baggage"};

/// Members of results that the gateway judges, or that clients confuse with such a member.
constexpr std::array<std::string_view, 8> kResultMembers{
    "_meta",   "content",      "contents",   "inputRequests",
    "isError", "requestState", "resultType", "structuredContent"};

constexpr std::array<std::string_view, 4> kErrorMembers{"code", "data", "elicitations", "message"};

std::span<const std::string_view> members_of(MemberPlace place) {
  switch (place) {
    case MemberPlace::envelope:
      return kEnvelopeMembers;
    case MemberPlace::params:
      return kParamsMembers;
    case MemberPlace::result:
      return kResultMembers;
    case MemberPlace::error:
      return kErrorMembers;
    default:
      return kMetaMembers;
  }
}

constexpr std::size_t kLongestName = 48;  // Of the names above.

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

/// The ASCII letter to which some reader folds the beginning of `text`, and the folded bytes.
struct Folded {
  char letter;
  std::size_t size;
};

Folded fold_first(std::string_view text) {
  if (text.starts_with("\xC5\xBF")) return {'s', 2};      // U+017F
  if (text.starts_with("\xE2\x84\xAA")) return {'k', 3};  // U+212A
  if (text.starts_with("\xC4\xB0") || text.starts_with("\xC4\xB1")) return {'i', 2};
  return {lower(text.front()), 1};
}

bool equals_lowered(std::string_view folded, std::string_view member) {
  return std::ranges::equal(folded, member, {}, {}, lower);
}

}  // namespace

bool is_ambiguous_member(std::string_view name, MemberPlace place) {
  const std::span<const std::string_view> members = members_of(place);
  if (std::ranges::find(members, name) != members.end()) return false;
  name = name.substr(0, name.find('\0'));
  std::array<char, kLongestName> buffer{};
  std::size_t size = 0;
  while (!name.empty()) {
    if (size == buffer.size()) return false;
    const Folded folded = fold_first(name);
    buffer[size++] = folded.letter;
    name.remove_prefix(folded.size);
  }
  const std::string_view folded(buffer.data(), size);
  return std::ranges::any_of(
      members, [folded](std::string_view member) { return equals_lowered(folded, member); });
}

}  // namespace bartizan
