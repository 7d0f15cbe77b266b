#include "gateway/upstream/lost_session.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "schemas/base/error_code.h"

namespace bartizan {
namespace {

/// Texts before the sentence itself.
constexpr std::array<std::string_view, 6> kIntroductions{
    "bad request: ", "error: ", "mcp error -32001: ", "mcp error -32600: ", "not found: ", "\""};
/// How the sentences of known servers begin, in lower case.
constexpr std::array<std::string_view, 16> kSentences{
    "invalid mcp session",
    "invalid or expired session",
    "invalid or missing session",
    "invalid session",
    "missing session id",
    "no session found",
    "no valid session",
    "server not initialized",
    "session expired",
    "session has been terminated",
    "session has expired",
    "session id not found",
    "session not found",
    "session not initialized",
    "session terminated",
    "unknown session",
};
/// Codes that official servers send for a session that they do not know.
constexpr std::array<std::int64_t, 3> kCodes{-32000, -32001,
                                             static_cast<std::int64_t>(RpcCode::invalid_request)};
/// The Python SDK's id for a request without one.
constexpr std::string_view kNobodysId = "server-error";

/// Input: `beginning` in lower case.
bool begins_with(std::string_view text, std::string_view beginning) {
  return std::ranges::equal(text.substr(0, beginning.size()), beginning, [](char one, char other) {
    return one == other || (one >= 'A' && one <= 'Z' && one + ('a' - 'A') == other);
  });
}

bool names_no_request(const Message& message) {
  return !message.id || message.id.is(JsonType::null) || message.id.text() == kNobodysId;
}

}  // namespace

bool names_lost_session(std::string_view sentence) {
  for (const std::string_view introduction : kIntroductions) {
    if (begins_with(sentence, introduction)) sentence.remove_prefix(introduction.size());
  }
  return std::ranges::any_of(
      kSentences, [sentence](std::string_view known) { return begins_with(sentence, known); });
}

bool says_session_lost(const Message& message, int status) {
  if (message.kind != MessageKind::error_response) return false;
  const std::int64_t code = message.error.find("code").integer().value_or(0);
  const bool is_usual = std::ranges::find(kCodes, code) != kCodes.end();
  const bool is_transports = names_no_request(message) && (status == 400 || is_usual);
  const bool is_refusal = status == 400 && is_usual;
  return (is_transports || is_refusal) && names_lost_session(message.error.find("message").text());
}

}  // namespace bartizan
