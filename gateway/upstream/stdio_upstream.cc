#include "gateway/upstream/stdio_upstream.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "gateway/message/other_id.h"
#include "gateway/runtime/clock.h"
#include "gateway/upstream/server_handshake.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
/// Lines of one server that are handled before others have their turn.
constexpr std::size_t kLinesPerTurn = 64;
/// Lines of one child's standard error that are logged in one second.
constexpr std::size_t kErrorLinesPerSecond = 100;
/// How long the end of a program is waited for whose output has ended: its keeper says how it ended
/// once nothing of it is left.
constexpr std::chrono::milliseconds kEndWait{250};

}  // namespace

StdioUpstream::Life::Life(Loop& home, ChildProcess child)
    : process(std::move(child)),
      input(home.executor(), process.standard_input.release()),
      output(home.executor(), process.standard_output.release()),
      error(home.executor(), process.standard_error.release()),
      ending(home.executor()),
      over_for_output(home),
      over_for_ending(home) {
  error_code ignored;
  // Without it, the end is seen when the child's output ends.
  ending.assign(process.control().duplicate().release(), ignored);
}

StdioUpstream::StdioUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                             UpstreamEvents events, StdioUpstreamSetup setup)
    : home_(home),
      memory_(memory),
      setup_(setup),
      config_(std::move(config)),
      key_(std::move(key)),
      events_(std::move(events)),
      in_flight_(config_.max_in_flight),
      queue_(in_flight_, [this](CallQueue::Waiting&& call) { send_now(std::move(call)); }),
      handshake_(home_, server_failed("the server was never started")),
      restart_pause_(home) {}

StdioUpstream::~StdioUpstream() = default;

// --- Introduction -------------------------------------------------------------------------------

Task<void> StdioUpstream::introduce(LifePtr life) {
  const auto self = shared_from_this();
  const bool modern = key_.era == Era::modern;
  Result<ReceivedMessage> answer = modern ? co_await ask(life, GatewayMessage::server_discover,
                                                         "server/discover", modern_params(config_))
                                          : co_await ask(life, GatewayMessage::initialize,
                                                         "initialize", initialize_params(config_));
  if (life->over) co_return;
  if (!answer.has_value()) {
    const bool is_silent = answer.error().code == ErrorCode::timed_out;
    co_return fail_introduction(is_silent ? handshake_.failure() : answer.error());
  }
  Result<ServerHandshake> introduction = read_introduction(config_, key_.era, answer->message);
  home_.give_back(std::move(answer->document));
  if (!introduction.has_value()) co_return fail_introduction(introduction.error());
  if (!modern) {
    tell(Permit::own(GatewayMessage::initialized, write_notification("notifications/initialized")),
         0);
  }
  handshake_.learn(std::move(*introduction));
  state_ = State::running;
  ++beginning_;
  restart_delay_ = std::chrono::milliseconds(0);
  events_.state(key_, beginning_ > 1 ? kBegunAnew : "ready");
  handshake_.end();
  begin_waiting();
}

Task<Result<ReceivedMessage>> StdioUpstream::ask(LifePtr life, GatewayMessage kind,
                                                 std::string method, std::string params) {
  const Result<void> recorded = co_await events_.record_gateway_message(key_, method);
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  if (life->over) co_return std::unexpected(handshake_.failure());
  const std::uint64_t id = in_flight_.next_id();
  auto pending = std::make_shared<PendingCall>(home_);
  in_flight_.add(id, pending);
  const Permit permit = Permit::own(kind, write_request(std::to_string(id), method, params));
  if (!write(permit.wire())) {
    in_flight_.take(id);  // Or it would hold a place of the next process for ever.
    co_return std::unexpected(handshake_.failure());
  }
  Result<ReceivedMessage> answer =
      co_await next_answer(*pending, events_, key_,
                           kind == GatewayMessage::server_discover ? limits::server_probe_deadline
                                                                   : limits::server_start_deadline);
  in_flight_.take(id);
  co_return answer;
}

void StdioUpstream::fail_introduction(Error error) {
  // Kept, where somebody only wanted to know: a client that learns of this will ask for the legacy
  // era next.
  const bool is_kept = key_.era == Era::modern && handshake_.has_waiters() && !is_probe(key_);
  if (!is_kept) return fail_start(std::move(error));
  error.code = ErrorCode::unsupported_version;
  events_.state(key_, "does not speak the modern era");
  fail_calls_and_waiting(error);
  state_ = State::declined;
  handshake_.fail(std::move(error));
}

bool StdioUpstream::downgrade_to_legacy() {
  if (state_ != State::declined || stopping_) return false;
  key_.era = Era::legacy;
  state_ = State::starting;
  handshake_.begin();
  spawn(home_, introduce(life_));
  return true;
}

Task<Result<ServerHandshake>> StdioUpstream::introduction() {
  const auto self = shared_from_this();
  if (state_ == State::stopped) start();
  if (handshake_.is_going_on()) co_await handshake_.wait(limits::server_start_deadline);
  if (state_ != State::running) co_return std::unexpected(handshake_.failure());
  co_return *handshake_.introduction();
}

void StdioUpstream::fail_calls_and_waiting(const Error& error) {
  in_flight_.fail_calls(error);
  queue_.fail(error);
}

// --- Calls --------------------------------------------------------------------------------------

void StdioUpstream::call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
  if (request.permit.empty() || stopping_ || state_ == State::declined)
    return pending->fail(server_failed("not accepting calls"));
  // What is handed over before the first beginning was judged by what that lists.
  const std::uint64_t judged_for =
      request.judged_for != 0 ? request.judged_for : std::max<std::uint64_t>(beginning_, 1);
  queue_.take(
      {.request = std::move(request), .pending = std::move(pending), .judged_for = judged_for},
      state_ == State::running);
  if (state_ == State::stopped && queue_.size() > 0) start();
}

void StdioUpstream::send_now(CallQueue::Waiting&& call) {
  const auto& pending = call.pending;
  const bool is_judged = !call.request.permit.own_kind().has_value() && !pending->is_part();
  if (is_judged && call.judged_for != beginning_) return pending->fail(begun_anew());
  pending->note_beginning(beginning_);
  const std::uint64_t id = in_flight_.next_id();
  if (!write(number_request(call.request, id), id)) {
    return pending->fail(
        {ErrorCode::overloaded, Fault::server, "the server does not read its input"});
  }
  in_flight_.add(id, pending);
}

/// Not while a handshake is going on: its answer is an answer, too.
void StdioUpstream::begin_waiting() {
  if (state_ == State::running) queue_.begin_waiting();
}

void StdioUpstream::tell(Permit permit, std::uint64_t asked_in) {
  if (asked_in != 0 && asked_in != beginning_) return;
  if (!permit.empty() && !write(permit.wire())) events_.dropped(key_, "answer_not_taken");
}

void StdioUpstream::cancel(const std::shared_ptr<PendingCall>& pending) {
  if (queue_.forget(pending)) return;
  const auto id = in_flight_.id_of(pending);
  if (!id.has_value()) return;
  in_flight_.take(*id);
  // What the server has not begun to read it need not do, nor be told of.
  if (unwrite(*id)) return begin_waiting();
  tell(Permit::own(GatewayMessage::cancelled,
                   write_notification("notifications/cancelled",
                                      R"({"requestId":)" + std::to_string(*id) + "}")),
       0);
  begin_waiting();
}

// --- The pipes ----------------------------------------------------------------------------------

bool StdioUpstream::write(std::string line, std::uint64_t id) {
  if (life_ == nullptr || life_->over) return false;
  // One large message may pass the bound when nothing else waits; a queue may not grow past it.
  if (!life_->lines.empty() &&
      life_->line_bytes + line.size() > limits::server_write_queue_bytes_max) {
    return false;
  }
  // A judged message may be spread over lines, which JSON allows and this framing does not: the
  // only line ends in accepted JSON are white space between tokens.
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\r', ' ');
  line += '\n';
  if (!hold(memory_, life_->memory, life_->line_bytes + line.size())) return false;
  life_->line_bytes += line.size();
  life_->lines.push_back({.id = id, .text = std::move(line)});
  if (!life_->writing) {
    life_->writing = true;
    spawn(home_, write_input(life_));
  }
  return true;
}

/// Takes back the line of a call. False when the pipe has begun to take it.
bool StdioUpstream::unwrite(std::uint64_t id) {
  if (life_ == nullptr) return false;
  const auto found = std::find_if(life_->lines.begin(), life_->lines.end(),
                                  [id](const Life::Line& line) { return line.id == id; });
  if (found == life_->lines.end()) return false;
  life_->line_bytes -= found->text.size();
  life_->lines.erase(found);
  static_cast<void>(hold(memory_, life_->memory, life_->line_bytes));
  return true;
}

Task<void> StdioUpstream::write_input(LifePtr life) {
  const auto self = shared_from_this();
  while (!life->over && !life->lines.empty()) {
    const Life::Line line = std::move(life->lines.front());
    life->lines.pop_front();
    const auto [error, size] =
        co_await asio::async_write(life->input, asio::buffer(line.text), kAwait);
    life->line_bytes -= line.text.size();
    if (error) break;
    // Fewer bytes always fit.
    static_cast<void>(hold(memory_, life->memory, life->line_bytes));
  }
  life->writing = false;
}

Task<void> StdioUpstream::read_output(LifePtr life) {
  const auto self = shared_from_this();
  LineReader lines(limits::response_bytes_max);
  MemoryBudget::Reservation held;
  std::vector<char> buffer(kReadBytes);
  std::uint64_t dropped = 0;
  while (true) {
    const auto [error, size] = co_await life->output.async_read_some(asio::buffer(buffer), kAwait);
    if (error) break;
    std::string_view rest(buffer.data(), size);
    std::size_t taken = 0;
    while (!rest.empty()) {
      LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (!step.line.has_value() || step.line->empty()) continue;
      if (life->over) break;  // Of a process that was given up.
      held.release();         // The line is now the message's to account for.
      on_line(std::move(*step.line));
      if (++taken % kLinesPerTurn == 0) co_await asio::post(home_.executor(), kAwait);
    }
    if (!hold(memory_, held, lines.buffered())) lines.drop_line();
    for (; dropped < lines.dropped_lines(); ++dropped)
      events_.dropped(key_, "line_too_long");
  }
  if (lines.take_unterminated().has_value()) events_.dropped(key_, "line_unterminated");
  // Its output ends a moment before the program does, and how that ended is worth knowing.
  if (!life->over && !life->process.ended().has_value()) {
    co_await life->over_for_output.wait(kEndWait);
  }
  on_over(life);
}

void StdioUpstream::on_line(Bytes line) {
  Receipt receipt = receive_message(home_, memory_, std::move(line), kResponseLimits);
  if (!receipt.has_value()) return on_refused(receipt.error());
  if (receipt->is_batch()) return events_.dropped(key_, "not_a_message");
  const bool is_answer = receipt->message.is_answer();
  const Message& message = receipt->message;
  const bool is_for_all = tells_of_changed_list(message) && !names_subscription(message);
  const std::shared_ptr<PendingCall> pending = is_for_all ? nullptr : route(in_flight_, message);
  if (pending != nullptr) {
    if (!pending->deliver(std::move(*receipt))) events_.overflow(key_, std::move(*receipt));
  } else if (is_answer) {
    events_.dropped(key_, "unknown_id");
    // Nobody could tell whose answer it is, but where a single call waits. One that comes late, to
    // a call that is over, says nothing of the others.
    const auto number = number_of(message.id);
    const bool is_late = number.has_value() && in_flight_.was_given(*number);
    const bool is_odd = message.id && !message.id.is(JsonType::null) && !is_late;
    if (const auto only = is_odd ? in_flight_.only() : nullptr) {
      only->fail(server_failed(std::string(kOtherId)));
      in_flight_.take(*in_flight_.id_of(only));
    }
  } else {
    events_.message(key_, std::move(*receipt));
  }
  if (is_answer) begin_waiting();
}

/// Where it can still be told whose answer it was, nobody has to wait for another.
void StdioUpstream::on_refused(const RefusedMessage& refused) {
  const bool has_room = refused.error.code != ErrorCode::overloaded;
  events_.dropped(key_, has_room ? "not_a_message" : "no_memory");
  const std::shared_ptr<PendingCall> pending = route_refused(in_flight_, refused);
  if (pending == nullptr) return;
  pending->fail(unreadable(refused));
  begin_waiting();
}

Task<void> StdioUpstream::read_errors(LifePtr life) {
  const auto self = shared_from_this();
  LineReader lines(limits::line_bytes_max);
  std::vector<char> buffer(4096);
  std::chrono::steady_clock::time_point second;
  std::size_t logged = 0;
  while (true) {
    const auto [error, size] = co_await life->error.async_read_some(asio::buffer(buffer), kAwait);
    if (error) break;
    const auto now = steady_now();
    if (now - second >= std::chrono::seconds(1)) {
      second = now;
      logged = 0;
    }
    std::string_view rest(buffer.data(), size);
    while (!rest.empty()) {
      const LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (!step.line.has_value()) continue;
      // A server may talk; it may not fill the disk behind the gateway's log.
      if (++logged > kErrorLinesPerSecond) {
        events_.dropped(key_, "stderr_line");
      } else {
        events_.said(key_, step.line->view());
      }
    }
  }
}

}  // namespace bartizan
