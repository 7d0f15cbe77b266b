// The heads of the messages to a server behind a URL.
#include <array>
#include <charconv>

#include "gateway/http/write_http.h"
#include "gateway/upstream/http_upstream.h"

namespace bartizan {
namespace {

constexpr std::string_view kAccept = "application/json, text/event-stream";

/// Answers are judged, so that to compress them costs twice.
constexpr HeaderLine kPlainly{"Accept-Encoding", "identity"};

/// Room for the head of an ordinary call, so that it is not grown line by line.
constexpr std::size_t kHeadersUsual = 8;
constexpr std::size_t kHeadUsual = 512;
/// Stands once in the head of a message without a body: no other value has a line's end in it.
constexpr std::string_view kNoLength = "\r\nContent-Length: 0";

}  // namespace

Result<std::string> HttpUpstream::write_head(const Post& post) const {
  std::vector<HeaderLine> headers;
  headers.reserve(kHeadersUsual + post.param_headers.size() + setup_.headers.size());
  headers.push_back({"Accept", kAccept});
  headers.push_back(kPlainly);
  for (const OwnHeader& own : setup_.headers)
    headers.push_back({own.name, own.value.view()});
  const bool modern = key_.era == Era::modern;
  const ProtocolVersion version = negotiated_version();
  if (!post.is_initialize && has_version_header(version)) {
    headers.push_back({"MCP-Protocol-Version", text(version)});
  }
  if (!modern && !session_id_.empty() && !post.is_initialize) {
    headers.push_back({"Mcp-Session-Id", session_id_});
  }
  std::vector<std::string> names;
  names.reserve(post.param_headers.size());
  if (modern) {
    headers.push_back({"Mcp-Method", post.method});
    if (!post.name_header.empty()) headers.push_back({"Mcp-Name", post.name_header});
    for (const auto& [name, value] : post.param_headers) {
      names.push_back("Mcp-Param-" + name);
      headers.push_back({names.back(), value});
    }
  }
  std::string head;
  head.reserve(kHeadUsual);
  const Result<void> written =
      append_request_head(head, {.method = "POST",
                                 .target = target_,
                                 .host = setup_.client->authority(),
                                 .content_type = "application/json",
                                 .body = {BodyFraming::content_length, post.body.size()},
                                 .headers = headers});
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

ProtocolVersion HttpUpstream::negotiated_version() const {
  if (key_.era == Era::modern) return kNewestModernVersion;
  return handshake_.introduction().has_value() ? handshake_.introduction()->version
                                               : kNewestLegacyVersion;
}

/// Calls of one session have one head, but for their length: it is written once.
Result<std::string> HttpUpstream::head_of(const Post& post) {
  if (key_.era == Era::modern || post.is_initialize) return write_head(post);
  const ProtocolVersion version = negotiated_version();
  const bool is_known = usual_head_.has_value() && usual_head_->session == session_id_ &&
                        usual_head_->version == version;
  if (!is_known) {
    Result<std::string> head = write_head(Post());
    if (!head.has_value()) return head;
    const std::size_t length = head->find(kNoLength) + kNoLength.size() - 1;
    const std::string_view whole = *head;
    usual_head_ = {session_id_, version, SecretText(whole.substr(0, length)),
                   SecretText(whole.substr(length + 1))};
    wipe(head->data(), head->size());
  }
  std::array<char, 20> digits;
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), post.body.size());
  std::string head;
  head.reserve(kHeadUsual);
  head.append(usual_head_->front.view())
      .append(digits.data(), written.ptr)
      .append(usual_head_->back.view());
  return head;
}

Result<std::string> HttpUpstream::head_of(std::string_view http_method, std::string_view session,
                                          std::string_view last_event_id) const {
  std::vector<HeaderLine> headers{{"Accept", "text/event-stream"}, kPlainly};
  for (const OwnHeader& own : setup_.headers)
    headers.push_back({own.name, own.value.view()});
  if (handshake_.introduction().has_value() &&
      has_version_header(handshake_.introduction()->version)) {
    headers.push_back({"MCP-Protocol-Version", text(handshake_.introduction()->version)});
  }
  if (!session.empty()) headers.push_back({"Mcp-Session-Id", session});
  if (!last_event_id.empty()) headers.push_back({"Last-Event-ID", last_event_id});
  std::string head;
  const Result<void> written = append_request_head(head, {.method = http_method,
                                                          .target = target_,
                                                          .host = setup_.client->authority(),
                                                          .headers = headers});
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

}  // namespace bartizan
