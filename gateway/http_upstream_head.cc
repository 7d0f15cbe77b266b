// What stands in front of the messages that go to a server behind a URL.
#include "gateway/http_upstream.h"
#include "gateway/write_http.h"

namespace bartizan {
namespace {

constexpr std::string_view kAccept = "application/json, text/event-stream";

/// Room for the head of an ordinary call, so that it is not grown line by line.
constexpr std::size_t kHeadersUsual = 8;
constexpr std::size_t kHeadUsual = 512;

}  // namespace

Result<std::string> HttpUpstream::head_of(const Post& post) const {
  std::vector<HeaderLine> headers;
  headers.reserve(kHeadersUsual + post.param_headers.size());
  headers.push_back({"Accept", kAccept});
  const std::string authorization = "Bearer " + setup_.bearer;
  if (!setup_.bearer.empty()) headers.push_back({"Authorization", authorization});
  const bool modern = key_.era == Era::modern;
  const ProtocolVersion version = modern                      ? kNewestModernVersion
                                  : introduction_.has_value() ? introduction_->version
                                                              : kNewestLegacyVersion;
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
                                 .target = setup_.client->url().target,
                                 .host = setup_.client->authority(),
                                 .content_type = "application/json",
                                 .body = {BodyFraming::content_length, post.body.size()},
                                 .headers = headers});
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

Result<std::string> HttpUpstream::head_of(std::string_view http_method,
                                          std::string_view last_event_id) const {
  std::vector<HeaderLine> headers{{"Accept", "text/event-stream"}};
  const std::string authorization = "Bearer " + setup_.bearer;
  if (!setup_.bearer.empty()) headers.push_back({"Authorization", authorization});
  if (introduction_.has_value() && has_version_header(introduction_->version)) {
    headers.push_back({"MCP-Protocol-Version", text(introduction_->version)});
  }
  if (!session_id_.empty()) headers.push_back({"Mcp-Session-Id", session_id_});
  if (!last_event_id.empty()) headers.push_back({"Last-Event-ID", last_event_id});
  std::string head;
  const Result<void> written = append_request_head(head, {.method = http_method,
                                                          .target = setup_.client->url().target,
                                                          .host = setup_.client->authority(),
                                                          .headers = headers});
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

}  // namespace bartizan
