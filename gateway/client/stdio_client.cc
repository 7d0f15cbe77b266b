#include "gateway/client/stdio_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gateway/client/stdio_exchange.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/classify.h"
#include "gateway/process/line_reader.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The local client came to no endpoint, which would show it less.
const ShownServers kShowsAll = [](std::string_view) { return true; };

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::uint32_t count_requests(const std::vector<ReceivedMessage>& elements) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      elements, [](const ReceivedMessage& element) { return element.message.is_request(); }));
}

}  // namespace

StdioClient::StdioClient(Worker& worker, std::string principal, const ClientConfig& config,
                         Pipe input, Pipe output)
    : worker_(worker),
      principal_(std::move(principal)),
      answers_only_(config.answers_only),
      input_(std::move(input)),
      output_(std::make_shared<LineWriter>(worker.loop, worker.gateway.memory, std::move(output))),
      servers_(std::make_shared<LazyHandshake>(worker, principal_)),
      news_(worker.loop) {}

// --- Reading ------------------------------------------------------------------------------------

Task<void> StdioClient::run(std::move_only_function<void()> ended) {
  const auto self = shared_from_this();
  output_->on_broken([weak = weak_from_this()](std::string_view why) {
    if (const auto alive = weak.lock()) alive->on_broken(why);
  });
  co_await read_lines();
  is_over_ = true;
  ended();
}

Task<void> StdioClient::read_lines() {
  LineReader lines(limits::request_bytes_max);
  MemoryBudget::Reservation held;
  std::vector<char> buffer(kReadBytes);
  std::uint64_t dropped = 0;
  bool is_out_of_memory = false;  // Why the line is dropped that is being read.
  // A client may be silent for as long as it likes: its end is the end of the input.
  while (!is_over_) {
    const auto [error, size] = co_await input_.async_read_some(asio::buffer(buffer), kAwait);
    if (error) break;
    std::string_view rest(buffer.data(), size);
    while (!rest.empty() && !is_over_) {
      LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (step.line.has_value() && !step.line->empty()) {
        co_await take_line(std::move(*step.line));
        if (!output_->has_room()) co_await output_->wait_for_room();
      }
      for (; dropped < lines.dropped_lines(); ++dropped) {
        if (std::exchange(is_out_of_memory, false)) {
          reject(ErrorCode::overloaded, "the memory budget is exhausted", "");
        } else {
          reject(ErrorCode::json_size, "the line is longer than a request may be", "");
        }
      }
    }
    if (!hold(worker_.gateway.memory, held, lines.buffered())) {
      lines.drop_line();
      is_out_of_memory = true;
    }
  }
  // A message without a line end is one all the same: nothing that was cut off can be whole.
  if (is_over_) co_return;
  if (auto last = lines.take_unterminated()) co_await take_line(std::move(*last));
}

Task<void> StdioClient::take_line(Bytes line) {
  const std::size_t bytes = line.size();
  Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory, std::move(line), {},
                                    worker_.snapshot->config.client.null_members);
  if (!receipt.has_value()) {
    const RefusedMessage& refused = receipt.error();
    co_return reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  if (receipt->is_batch()) co_return co_await dispatch_batch(std::move(*receipt), bytes);
  co_await dispatch(std::move(*receipt), bytes);
}

Task<void> StdioClient::dispatch(ReceivedMessage received, std::size_t bytes) {
  const Message message = received.message;
  const auto classified = classify_without_headers(message);
  const Era era = classified.has_value() ? classified->era : Era::legacy;
  if (classified.has_value()) is_modern_ = era == Era::modern;
  if (classified.has_value() && cancel_modern(message)) co_return;
  const bool begins = era == Era::legacy && message.known->id == MethodId::initialize;
  const bool is_of_session = era == Era::modern || begins == (session_ == nullptr);
  if (classified.has_value() && is_of_session && message.is_request()) {
    if (!is_served(era) && !co_await find_servers(message, era)) co_return;
    if (const Reason full = has_places(1) ? Reason::none : co_await wait_for_places(1);
        full != Reason::none) {
      co_return deny(full, "too many calls are in progress", message, era);
    }
    if (era == Era::modern && modern_.contains(std::string(message.id.raw()))) {
      co_return deny(Reason::invalid_request, "the id is in use", message, era);
    }
  }
  auto admitted = admit_message(worker_, std::move(received), co_await arrival(bytes));
  if (!admitted.has_value()) co_return refuse(admitted.error(), message, era);
  std::string id(message.is_request() ? message.id.raw() : std::string_view());
  auto exchange = std::make_shared<StdioExchange>(shared_from_this(), std::move(id), era);
  // What follows may belong to the session that begins here, so it waits for it.
  const std::weak_ptr<StdioExchange> beginning = exchange;
  begin_call(std::move(*admitted), std::move(exchange));
  const auto is_going_on = [&beginning] {
    const auto alive = beginning.lock();
    return alive != nullptr && !alive->is_finished();
  };
  while (begins && is_going_on() && !is_over_)
    co_await news_.wait(limits::server_start_deadline);
}

/// A batch of the one revision that has them: each element is a call of its own.
Task<void> StdioClient::dispatch_batch(ReceivedMessage received, std::size_t bytes) {
  auto admitted = admit_message(worker_, std::move(received), co_await arrival(bytes));
  if (!admitted.has_value()) co_return refuse(admitted.error(), {}, Era::legacy);
  // Answers alone need no place: a server waits for them, and its call has one.
  const std::uint32_t requests = count_requests(admitted->elements);
  if (requests > 0 && co_await wait_for_places(requests) != Reason::none) {
    co_return reject(ErrorCode::overloaded, "too many calls are in progress", "");
  }
  begin_call(
      std::move(*admitted),
      std::make_shared<StdioExchange>(shared_from_this(), "", Era::legacy, std::max(requests, 1U)));
}

Task<Arrival> StdioClient::arrival(std::size_t bytes) const {
  Arrival arrival{.transport = Transport::stdio,
                  .snapshot = worker_.snapshot,
                  .source = std::string(kind_of(Transport::stdio).name),
                  .bytes = bytes,
                  .answers_only = answers_only_};
  auto proved = co_await arrival.snapshot->authenticator.prove(
      worker_.loop, {.transport = Transport::stdio}, seconds_now());
  // A caller without a principal is refused at admission.
  if (proved.has_value()) {
    arrival.caller = std::move(*proved);
  } else {
    arrival.unproved = std::move(proved.error());
  }
  if (session_ != nullptr) {
    arrival.session_id = session_->id;
    arrival.agreed = session_->version;
  }
  co_return arrival;
}

// --- Bounds -------------------------------------------------------------------------------------

/// Whether nobody need be asked any more who serves that era.
bool StdioClient::is_served(Era era) const {
  const Directory& directory = *worker_.directory;
  return was_served_ && directory.answers(kShowsAll) &&
         directory.servers.size() == worker_.snapshot->config.servers.size() &&
         std::ranges::all_of(directory.servers,
                             [era](const auto& entry) { return entry.second.in(era).has_value(); });
}

/// Whether the servers serve that era; the client was told if not.
Task<bool> StdioClient::find_servers(const Message& message, Era era) {
  co_await servers_->ready(era);
  const Directory& directory = *worker_.directory;
  if (directory.answers(kShowsAll)) {
    was_served_ = true;
    co_return true;
  }
  was_refused_ = true;
  std::string why = "no server has answered";
  for (const auto& [name, state] : directory.servers) {
    if (!state.failure.empty()) why += "; " + name + ": " + state.failure;
  }
  deny(Reason::server_unavailable, why, message, era);
  co_return false;
}

bool StdioClient::has_places(std::uint32_t calls) const {
  return calls_ + calls <= limits::stdio_calls_max;
}

/// Holds requests back while too many are in progress. While a server waits for the client's
/// answer, which stands further on in the input, they are refused instead: waiting would be for
/// ever.
Task<Reason> StdioClient::wait_for_places(std::uint32_t calls) {
  while (!has_places(calls) && !is_over_) {
    if (is_client_asked()) co_return Reason::overloaded;
    co_await news_.wait(limits::write_deadline);
  }
  co_return is_over_ ? Reason::shutting_down : Reason::none;
}

bool StdioClient::is_client_asked() const {
  const auto is_open = [](const auto& entry) { return !entry.second.is_answered; };
  return session_ != nullptr && std::ranges::any_of(session_->server_requests, is_open);
}

// --- Exchanges ----------------------------------------------------------------------------------

void StdioClient::begin(StdioExchange& exchange) {
  calls_ += exchange.calls();
  exchanges_.insert(&exchange);
  if (exchange.era() == Era::modern && !exchange.id_json().empty()) {
    modern_.emplace(exchange.id_json(), &exchange);
  }
}

void StdioClient::end(StdioExchange& exchange) {
  exchanges_.erase(&exchange);
  const auto found = modern_.find(exchange.id_json());
  if (found != modern_.end() && found->second == &exchange) modern_.erase(found);
  calls_ -= exchange.calls();
  news_.notify();
}

/// A legacy session has begun: what servers say outside any call goes to its client from now on.
void StdioClient::begin_session(const std::string& id) {
  session_ = worker_.sessions.find(id, {.principal = principal_}, worker_.snapshot->config.session,
                                   steady_now());
  if (session_ == nullptr) return;
  if (answers_only_) return;
  session_->stream = std::make_shared<StdioStream>(output_);
  session_->stream_credential = session_->credential;
}

/// Whether the message cancels a modern request. What an HTTP client says by leaving, this one
/// says by a notification; in the legacy revisions the call's session knows whom it names.
bool StdioClient::cancel_modern(const Message& message) {
  if (message.known->id != MethodId::notifications_cancelled) return false;
  const auto found = modern_.find(std::string(message.request_id.raw()));
  // One that crosses its answer names nothing any more; that is no offence.
  if (found == modern_.end()) {
    return static_cast<bool>(message.meta.find(meta_key::protocol_version));
  }
  found->second->cancel();
  return true;
}

// --- The end ------------------------------------------------------------------------------------

void StdioClient::drain() {
  is_over_ = true;
  error_code ignored;
  input_.cancel(ignored);
  news_.notify();
}

/// Nobody reads what is answered, so nobody wants it: the calls are cancelled.
void StdioClient::on_broken(std::string_view why) {
  log(LogLevel::warning, "the client is gone", {{"detail", std::string(why)}});
  const std::vector<StdioExchange*> all(exchanges_.begin(), exchanges_.end());
  for (StdioExchange* exchange : all) {
    if (exchanges_.contains(exchange)) exchange->cancel();
  }
  drain();
}

}  // namespace bartizan
