#include "gateway/http/fetch_document.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gateway/http/write_http.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// The remaining time of an exchange, which all its waits share.
class TimeLeft {
 public:
  explicit TimeLeft(Milliseconds whole) : end_(steady_now() + whole) {}
  /// At least a moment: the wait itself detects the timeout.
  Milliseconds get() const {
    return std::max(Milliseconds(1), std::chrono::duration_cast<Milliseconds>(end_ - steady_now()));
  }

 private:
  Clock::time_point end_;
};

const std::string& body_of(const DocumentRequest& request) {
  return request.json.empty() ? request.form : request.json;
}

Result<std::string> write_head(const DocumentRequest& request, const std::string& authority) {
  std::vector<HeaderLine> lines{{"Accept", "application/json"}, {"User-Agent", "bartizan"}};
  if (!request.authorization.empty()) lines.push_back({"Authorization", request.authorization});
  for (const auto& [name, value] : request.headers)
    lines.push_back({name, value});
  const std::string& body = body_of(request);
  std::string_view type = body.empty() ? "" : "application/x-www-form-urlencoded";
  if (!request.json.empty()) type = request.json_type;
  std::string head;
  const Result<void> written = append_request_head(
      head,
      {.method = body.empty() ? "GET" : "POST",
       .target = request.url.target,
       .host = authority,
       .content_type = type,
       .body = body.empty() ? BodyLength{} : BodyLength{BodyFraming::content_length, body.size()},
       .after = AfterMessage::close,
       .headers = lines});
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

Task<Result<std::string>> read_whole(HttpClientConnection& connection, std::size_t bytes_max,
                                     const TimeLeft& left) {
  std::string body;
  while (true) {
    const Result<std::string_view> piece = co_await connection.read_body(left.get());
    if (!piece.has_value()) co_return std::unexpected(piece.error());
    if (piece->empty()) co_return body;
    if (body.size() + piece->size() > bytes_max) {
      co_return fail(ErrorCode::http_limit, Fault::server, "the document is too large");
    }
    body += *piece;
  }
}

}  // namespace

Task<Result<FetchedDocument>> fetch_document(Loop& loop, std::shared_ptr<asio::ssl::context> tls,
                                             DocumentRequest request) {
  const TimeLeft left(request.deadline);
  HttpClient client(loop, request.url, std::move(tls));
  const Result<std::string> head = write_head(request, client.authority());
  if (!head.has_value()) co_return std::unexpected(head.error());
  const Result<HttpConnectionPtr> connected = co_await client.connect(left.get());
  if (!connected.has_value()) co_return std::unexpected(connected.error());
  HttpClientConnection& connection = **connected;
  // Each wait has a deadline, but a slow peer would restart it with every byte.
  Deadline whole(
      loop.wheel(), [](void* stream) { static_cast<Stream*>(stream)->close(); },
      &connection.stream());
  whole.arm(left.get());
  const Result<void> sent = co_await connection.send(*head, body_of(request));
  if (!sent.has_value()) co_return std::unexpected(sent.error());
  const Result<const ResponseHead*> answered = co_await connection.read_head(left.get());
  if (!answered.has_value()) co_return std::unexpected(answered.error());
  const ResponseHead& answer = **answered;
  FetchedDocument document{.status = answer.status(), .body = {}};
  for (const HeaderField& field : answer.fields().all()) {
    if (equal_ignoring_case(field.name, "etag")) document.tag = field.value;
  }
  if (!request.wants_body) co_return document;
  if (answer.has_unread_coding()) {
    co_return fail(ErrorCode::http_syntax, Fault::server, "the document is in a coding");
  }
  Result<std::string> body = co_await read_whole(connection, request.bytes_max, left);
  if (!body.has_value()) co_return std::unexpected(body.error());
  document.body = *std::move(body);
  co_return document;
}

}  // namespace bartizan
