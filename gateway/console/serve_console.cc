#include "gateway/console/serve_console.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = std::size_t{4} << 10;

milliseconds left_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_now());
  return std::max(left, milliseconds(1));
}

/// One connection.
class Serving {
 public:
  Serving(Stream& stream, Console& console) : stream_(stream), console_(console) {}

  /// Serves one request. Returns whether another one may follow.
  Task<bool> serve_one();
  /// Whether the peer may still be sending bytes that nobody will read.
  bool is_refused() const { return is_refused_; }

 private:
  Task<Result<std::string>> read_head();
  Task<Result<std::string>> read_body();
  Task<bool> write(ConsoleAnswer answer, AfterMessage after);

  Stream& stream_;
  Console& console_;
  std::string buffer_;
  RequestHead head_;
  bool body_read_ = false;
  bool is_refused_ = false;
};

/// The bytes of the next head. Errors: closed at an orderly end, and those of `find_head_end`.
Task<Result<std::string>> Serving::read_head() {
  std::size_t searched = 0;
  auto deadline = steady_now() + limits::idle_deadline;
  while (true) {
    const Result<std::size_t> size = find_head_end(buffer_, searched, Fault::client);
    if (!size.has_value()) co_return std::unexpected(size.error());
    if (*size > 0) {
      std::string text = buffer_.substr(0, *size);
      buffer_.erase(0, *size);
      co_return text;
    }
    searched = buffer_.size();
    // One deadline for the whole head, however its bytes arrive.
    const bool begins = buffer_.empty();
    const auto read = co_await stream_.append_some(buffer_, kReadBytes, left_until(deadline));
    if (!read.has_value() && begins) co_return fail(ErrorCode::closed, Fault::client);
    if (!read.has_value()) co_return std::unexpected(read.error());
    if (begins) deadline = steady_now() + limits::head_deadline;
  }
}

/// The body of a form. Input: a head with a length within the bound.
Task<Result<std::string>> Serving::read_body() {
  const auto size = static_cast<std::size_t>(head_.content_length());
  if (head_.expects_continue() && buffer_.size() < size) {
    const auto sent = co_await stream_.write(kContinueHead, limits::write_deadline);
    if (!sent.has_value()) co_return std::unexpected(sent.error());
  }
  const auto deadline = steady_now() + limits::head_deadline;
  while (buffer_.size() < size) {
    const auto read =
        co_await stream_.append_some(buffer_, size - buffer_.size(), left_until(deadline));
    if (!read.has_value()) co_return std::unexpected(read.error());
  }
  std::string body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  body_read_ = true;
  co_return body;
}

Task<bool> Serving::write(ConsoleAnswer answer, AfterMessage after) {
  std::vector<HeaderLine> headers(kConsoleHeaders.begin(), kConsoleHeaders.end());
  for (const auto& [name, value] : answer.headers)
    headers.push_back({name, value});
  std::string head;
  const Result<void> written =
      append_response_head(head, {.status = answer.status,
                                  .content_type = answer.content_type,
                                  .body = {BodyFraming::content_length, answer.body.size()},
                                  .after = after,
                                  .headers = headers});
  if (!written.has_value()) co_return false;
  const bool has_body = head_.method() != HttpMethod::head;
  const std::array pieces{std::string_view(head),
                          has_body ? std::string_view(answer.body) : std::string_view()};
  co_return (co_await stream_.write(pieces, limits::write_deadline)).has_value();
}

Task<bool> Serving::serve_one() {
  const Result<std::string> text = co_await read_head();
  if (!text.has_value() && text.error().code == ErrorCode::closed) co_return false;
  if (!text.has_value() || !head_.read(*text).has_value()) {
    is_refused_ = true;
    head_ = RequestHead();
    const bool is_late = !text.has_value() && text.error().code == ErrorCode::timed_out;
    const bool is_large = !text.has_value() && text.error().code == ErrorCode::http_limit;
    co_await write(
        {.status = is_late    ? 408
                   : is_large ? 431
                              : 400,
         .body = message_html({.title = "Not done", .sentence = "The request cannot be read."})},
        AfterMessage::close);
    co_return false;
  }
  body_read_ = head_.framing() == BodyFraming::none;
  ConsoleRequest request{.head = head_,
                         .peer = stream_.peer(),
                         .address = stream_.peer_address(),
                         .is_encrypted = stream_.is_encrypted(),
                         .read_body = [this] { return read_body(); }};
  std::optional<ConsoleAnswer> answer = co_await console_.answer(std::move(request));
  if (!answer.has_value()) co_return false;
  is_refused_ = !body_read_;
  const bool keeps_alive = body_read_ && head_.keeps_alive();
  const bool is_written = co_await write(
      std::move(*answer), keeps_alive ? AfterMessage::keep_alive : AfterMessage::close);
  co_return is_written&& keeps_alive;
}

}  // namespace

Task<void> serve_console(std::unique_ptr<Stream> stream, StatusConnections& all, Console& console) {
  Serving serving(*stream, console);
  while (co_await serving.serve_one())
    all.renew(*stream);
  all.leave(*stream);
  if (serving.is_refused()) co_return co_await stream->linger();
  stream->close();
}

}  // namespace bartizan
