#include "gateway/client/connection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/client/mcp_request.h"
#include "gateway/http/http_body.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/redact_text.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = std::size_t{4} << 10;
constexpr std::size_t kBodyReadBytes = std::size_t{64} << 10;
/// Room for the head of an ordinary response.
constexpr std::size_t kHeadUsual = 256;
/// Sent with each request to retry later.
constexpr HeaderLine kRetryAfter{"Retry-After", "1"};

milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - coarse_now());
  return std::max(left, milliseconds(1));
}

HttpRefusal framing_refusal(const Error& error) {
  const int status = error.code == ErrorCode::http_limit     ? 431
                     : error.code == ErrorCode::http_version ? 505
                     : error.code == ErrorCode::timed_out    ? 408
                                                             : 400;
  const Reason reason = status == 431 ? Reason::http_too_large : Reason::http_malformed;
  return {.status = status, .reason = reason, .detail = error.detail};
}

/// Whether it refuses the body of its request. Such a body may have been framed by a peer that
/// parses heads differently, or not match its head.
bool refuses_body(const HttpRefusal& refusal) {
  return refusal.status == 400 || refusal.status == 413 || refusal.status == 415;
}

/// The reason of a refusal by HTTP, for the client and its operator: an error without an id.
std::string refusal_body(const HttpRefusal& refusal, const std::optional<DecisionId>& id) {
  const Reason reason = refusal.told.value_or(refusal.reason);
  const std::string_view message = refusal.message.empty() ? message_of(reason) : refusal.message;
  std::string data = R"({"reason":)";
  append_json_string(data, text(reason));
  if (id.has_value()) {
    data += R"(,"decision_id":)";
    append_json_string(data, id->view());
  }
  return write_error("", denial_code(reason, Era::legacy), message, data + "}");
}

}  // namespace

Era claimed_era(const RequestHead& head) {
  const auto claim = head.find(KnownHeader::mcp_protocol_version);
  const auto version = claim.has_value() ? parse_protocol_version(*claim) : std::nullopt;
  return version.has_value() ? era(*version) : Era::legacy;
}

std::optional<DecisionId> note_refusal(Worker& worker, const ClientAddress& client,
                                       const HttpRefusal& refusal) {
  worker.loop.metrics().add(Metric::http_refusals,
                            std::array<std::string_view, 1>{text(refusal.reason)});
  if (!worker.gateway.refusals.admit_address(client.network, steady_now())) {
    return std::nullopt;
  }
  if (!refusal.hint.empty()) {
    // A client that tries another transport may only be probing.
    const bool is_wrong_method = refusal.reason == Reason::http_method_not_allowed;
    log(is_wrong_method ? LogLevel::info : LogLevel::warning, text(refusal.reason),
        {{"source", client.source}, {"hint", redact_line(worker, {}, refusal.hint)}});
  }
  const DecisionId id = worker.next_decision_id();
  Record record{.kind = RecordKind::refusal, .time = system_now()};
  record.decision_id = id.view();
  record.source = client.source;
  record.transport = kind_of(Transport::http).name;
  record.endpoint = refusal.endpoint;
  record.principal = refusal.principal;
  record.decision = "deny";
  record.reason = text(refusal.reason);
  record.category = text(category(refusal.reason));
  record.http_status = refusal.status;
  record.detail = refusal.detail;
  worker.recorder.note(record);
  return id;
}

Connection::Connection(Worker& worker, std::unique_ptr<Stream> stream)
    : worker_(worker), stream_(std::move(stream)), peer_(*stream_), accepted_(coarse_now()) {}

Task<void> Connection::run() {
  bool is_refused = false;
  while (requests_ < limits::requests_per_connection_max && !draining_) {
    const Result<bool> read = co_await read_head();
    if (!read.has_value()) {
      is_refused = read.error().code != ErrorCode::closed;
      if (is_refused) co_await refuse(framing_refusal(read.error()));
      break;
    }
    if (!*read) break;
    ++requests_;
    idle_ = false;
    if (head_->framing() == BodyFraming::none) body_read_ = true;
    // The request must be destroyed before its head.
    if (!co_await McpRequest(*this).serve()) {
      is_refused = !body_read_;
      break;
    }
    idle_ = true;
    release_buffers();
    // A client that sends many requests at once must yield to others after each.
    if (!buffer_.empty()) co_await yield_turn(worker_.loop);
  }
  if (stream_ == nullptr) co_return;
  if (is_refused) co_return co_await stream_->linger();
  stream_->close();
}

std::pair<std::unique_ptr<Stream>, std::string> Connection::take_stream() {
  return {std::move(stream_), std::exchange(buffer_, {})};
}

void Connection::drain() {
  draining_ = true;
  if (idle_ && buffer_.empty()) stream_->close();
}

void Connection::review_certificate() {
  if (stream_ != nullptr && !peer_.review(*worker_.snapshot).has_value()) stream_->close();
}

void Connection::set_principal(std::string_view id) {
  authenticated_ = true;
  principal_ = id;
}

/// Frees the buffers between two requests: thousands of idle connections must cost little.
void Connection::release_buffers() {
  head_.reset();
  std::string().swap(answer_head_);
  if (buffer_.empty()) std::string().swap(buffer_);
}

Task<Result<void>> Connection::fill(std::size_t bytes_max, milliseconds wait) {
  if (buffer_.empty()) std::string().swap(buffer_);
  return stream_->append_some(buffer_, bytes_max, wait);
}

/// Reads the next head. False at an orderly end: closed, or idle for too long.
Task<Result<bool>> Connection::read_head() {
  std::size_t searched = 0;
  Clock::time_point head_deadline = coarse_now() + limits::head_deadline;
  body_read_ = false;
  origin_.clear();
  principal_.clear();
  endpoint_.clear();
  peer_.forget_request();
  while (true) {
    const Result<std::size_t> size = find_head_end(buffer_, searched, Fault::client);
    if (!size.has_value()) co_return std::unexpected(size.error());
    if (*size > 0) {
      head_ = std::make_shared<HeadInBytes>();
      head_->bytes = buffer_.substr(0, *size);
      buffer_.erase(0, *size);
      const Result<void> read = head_->read(head_->bytes);
      if (!read.has_value()) co_return std::unexpected(read.error());
      co_return true;
    }
    searched = buffer_.size();
    const bool between = buffer_.empty();
    milliseconds wait = between ? milliseconds(limits::idle_deadline) : until(head_deadline);
    if (!authenticated_) {
      const auto timeout = worker_.snapshot->config.session.authentication_timeout;
      wait = std::min(wait, until(accepted_ + timeout));
    }
    const Result<void> filled = co_await fill(kReadBytes, wait);
    if (between) head_deadline = coarse_now() + limits::head_deadline;
    if (filled.has_value()) continue;
    if (between) co_return false;
    co_return std::unexpected(filled.error());
  }
}

bool Connection::keeps_alive() const {
  return head_ != nullptr && head_->keeps_alive() && body_read_ && !draining_ &&
         !worker_.gateway.draining.load(std::memory_order_relaxed);
}

/// Reserves memory for a growing body: twice the received bytes, since its buffer doubles, but no
/// more than was announced.
bool Connection::hold_body(MemoryBudget::Reservation& held, std::size_t arrived) const {
  if (arrived <= held.bytes()) return true;
  const bool is_declared = head_->framing() == BodyFraming::content_length;
  const std::uint64_t most = is_declared ? head_->content_length() : limits::request_bytes_max;
  return hold(worker_.gateway.memory, held, std::min<std::uint64_t>(2 * arrived, most));
}

/// Most requests have no body, or one that came with their head; then it does not wait.
Task<Result<Bytes>> Connection::read_body() {
  const bool is_here = head_->framing() == BodyFraming::content_length &&
                       head_->content_length() <= buffer_.size() &&
                       head_->content_length() <= limits::unbudgeted_bytes_max &&
                       !head_->expects_continue();
  if (!is_here) return receive_body();
  const auto size = static_cast<std::size_t>(head_->content_length());
  Bytes body(std::string_view(buffer_).substr(0, size));
  buffer_.erase(0, size);
  body_read_ = true;
  return Task<Result<Bytes>>::ready(std::move(body));
}

Task<Result<Bytes>> Connection::receive_body() {
  const BodyLength length{head_->framing(), head_->content_length()};
  BodyReader reader(length, limits::request_bytes_max, Fault::client);
  Bytes body;
  MemoryBudget::Reservation held;
  const bool is_declared = length.framing == BodyFraming::content_length;
  const std::uint64_t announced = is_declared ? length.content_length : 0;
  if (announced > limits::request_bytes_max) {
    co_return fail(ErrorCode::http_limit, Fault::client, "the body is too large");
  }
  // Refused now rather than after the client has sent it. Memory is reserved only as it arrives,
  // since an announcement costs the client nothing.
  const bool is_large = announced > limits::unbudgeted_bytes_max;
  if (is_large && !worker_.gateway.memory.has_room(announced)) {
    co_return fail(ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted");
  }
  if (head_->expects_continue()) {
    const auto sent = co_await stream_->write(kContinueHead, limits::write_deadline);
    if (!sent.has_value()) co_return std::unexpected(sent.error());
  }
  const Clock::time_point deadline = coarse_now() + limits::body_deadline;
  while (!reader.is_done()) {
    const Result<std::string_view> rest = reader.take(buffer_, body);
    if (!rest.has_value()) co_return std::unexpected(rest.error());
    buffer_.erase(0, buffer_.size() - rest->size());
    if (reader.is_done()) break;
    if (!hold_body(held, body.size())) {
      co_return fail(ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted");
    }
    const Result<void> read = co_await fill(kBodyReadBytes, until(deadline));
    if (!read.has_value()) co_return std::unexpected(read.error());
  }
  body_read_ = true;
  co_return body;
}

Task<bool> Connection::refuse(HttpRefusal refusal) {
  refusal.principal = principal_;
  refusal.endpoint = endpoint_;
  // Bytes after such a body must not be parsed as a request.
  if (refuses_body(refusal)) body_read_ = false;
  const std::optional<DecisionId> id = note_refusal(worker_, peer_.address(), refusal);
  const bool may_have_body = head_ != nullptr && head_->method() != HttpMethod::head;
  if (refusal.body.empty() && may_have_body) refusal.body = refusal_body(refusal, id);
  const auto is_told_when = [](const HeaderLine& line) { return line.name == kRetryAfter.name; };
  if (refusal.status == 503 && std::ranges::none_of(refusal.headers, is_told_when)) {
    refusal.headers.push_back(kRetryAfter);
  }
  const std::string_view type = refusal.body.empty() ? "" : "application/json";
  co_return co_await respond(refusal.status, type, refusal.body, refusal.headers);
}

void Connection::append_origin_headers(std::vector<HeaderLine>& headers) const {
  if (origin_.empty()) return;
  headers.push_back({"Access-Control-Allow-Origin", origin_});
  headers.push_back(
      {"Access-Control-Expose-Headers", "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate"});
  headers.push_back({"Vary", "Origin"});
}

Task<bool> Connection::respond(int status, std::string_view content_type, std::string_view body,
                               std::span<const HeaderLine> headers) {
  const bool keep = keeps_alive();
  const bool has_body = status >= 200 && status != 204;
  std::vector<HeaderLine> all;
  if (!origin_.empty()) {
    all.assign(headers.begin(), headers.end());
    append_origin_headers(all);
    headers = all;
  }
  answer_head_.clear();
  answer_head_.reserve(kHeadUsual);
  const Result<void> written = append_response_head(
      answer_head_,
      {.status = status,
       .content_type = content_type,
       .body = {has_body ? BodyFraming::content_length : BodyFraming::none, body.size()},
       .after = keep ? AfterMessage::keep_alive : AfterMessage::close,
       .headers = headers});
  if (!written.has_value()) return Task<bool>::ready(false);
  const std::array pieces{std::string_view(answer_head_), body};
  Task<Result<void>> writing = stream_->write(pieces, limits::write_deadline);
  if (!writing.is_ready()) return end_response(std::move(writing), keep);
  return Task<bool>::ready(keep && writing.value().has_value());
}

Task<bool> Connection::end_response(Task<Result<void>> writing, bool keep) {
  const Result<void> written = co_await writing;
  co_return keep&& written.has_value();
}

}  // namespace bartizan
