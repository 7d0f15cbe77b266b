#include "gateway/status/status_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "gateway/http/http_head.h"
#include "gateway/http/write_http.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kNotAdmitted =
    "A page of a browser may not read this, nor may anybody by a name that is not in [metrics] "
    "allowed_hosts.\n";
constexpr std::size_t kReadBytes = std::size_t{4} << 10;

std::chrono::milliseconds left_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_now());
  return std::max(left, std::chrono::milliseconds(1));
}

Task<bool> answer(Stream& stream, const StatusPage& page, bool with_body, AfterMessage after) {
  std::string head;
  const Result<void> written =
      append_response_head(head, {.status = page.status,
                                  .content_type = page.content_type,
                                  .body = {BodyFraming::content_length, page.body.size()},
                                  .after = after});
  if (!written.has_value()) co_return false;
  const std::array pieces{std::string_view(head),
                          with_body ? std::string_view(page.body) : std::string_view()};
  co_return (co_await stream.write(pieces, limits::write_deadline)).has_value();
}

}  // namespace

void StatusConnections::admit(Stream& stream) {
  if (open_.size() >= kMax) {
    open_.front()->close();
    open_.erase(open_.begin());
  }
  open_.push_back(&stream);
}

void StatusConnections::renew(Stream& stream) {
  if (std::erase(open_, &stream) > 0) open_.push_back(&stream);
}

Task<void> serve_status(std::unique_ptr<Stream> stream, StatusConnections& all,
                        StatusService service) {
  all.admit(*stream);
  std::string buffer;
  std::size_t searched = 0;
  // For the head as a whole, however its bytes are spread: connections here are few.
  auto deadline = steady_now() + limits::head_deadline;
  while (true) {
    const Result<std::size_t> size = find_head_end(buffer, searched, Fault::client);
    if (!size.has_value()) break;
    if (*size == 0) {
      searched = buffer.size();
      const auto read = co_await stream->append_some(buffer, kReadBytes, left_until(deadline));
      if (!read.has_value()) break;
      continue;
    }
    const std::string text = buffer.substr(0, *size);
    buffer.erase(0, *size);
    searched = 0;
    RequestHead head;
    const bool readable = head.read(text).has_value();
    const bool is_get = readable && head.method() == HttpMethod::get;
    const bool is_head = readable && head.method() == HttpMethod::head;
    const bool is_post = readable && head.method() == HttpMethod::post;
    // A client may say that an order has no body.
    const bool is_order = is_post && service.orders != nullptr &&
                          head.framing() == BodyFraming::content_length &&
                          head.content_length() == 0;
    const bool is_bare_order =
        is_post && service.orders != nullptr && head.framing() == BodyFraming::none;
    const bool takes_order = is_order || is_bare_order;
    const bool has_body = readable && !takes_order && head.framing() != BodyFraming::none;
    if (!readable || has_body || (!is_get && !is_head && !takes_order)) {
      co_await answer(*stream, {.status = readable ? 405 : 400, .body = {}}, true,
                      AfterMessage::close);
      break;
    }
    if (service.admits != nullptr && !service.admits(head)) {
      co_await answer(
          *stream, {.status = 403, .content_type = "text/plain", .body = std::string(kNotAdmitted)},
          true, AfterMessage::close);
      break;
    }
    std::string asked(head.path());
    if (takes_order && !head.query().empty()) asked += "?" + std::string(head.query());
    const StatusPage page = co_await (takes_order ? service.orders : service.pages)(asked);
    const bool keep = head.keeps_alive();
    const auto after = keep ? AfterMessage::keep_alive : AfterMessage::close;
    if (!co_await answer(*stream, page, !is_head, after) || !keep) break;
    all.renew(*stream);
    deadline = steady_now() + limits::head_deadline;
  }
  all.leave(*stream);
  stream->close();
}

}  // namespace bartizan
