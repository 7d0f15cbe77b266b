#include "gateway/upstream/duplex_upstream.h"

#include <algorithm>
#include <utility>

#include "gateway/message/other_id.h"
#include "gateway/upstream/server_handshake.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

std::string with_ending(std::string_view what, const std::optional<std::string>& ending) {
  std::string text(what);
  if (ending.has_value()) text += " (" + *ending + ")";
  return text;
}

}  // namespace

DuplexUpstream::DuplexUpstream(Loop& home, MemoryBudget& memory, ServerConfig config,
                               InstanceKey key, UpstreamEvents events, std::uint64_t before_first)
    : home_(home),
      memory_(memory),
      config_(std::move(config)),
      key_(std::move(key)),
      events_(std::move(events)),
      in_flight_(config_.max_in_flight, before_first),
      queue_(in_flight_, [this](CallQueue::Waiting&& call) { send_now(std::move(call)); }),
      handshake_(home_, server_failed("the server was never started")),
      hears_others_(before_first != 0),
      restart_pause_(home) {}

// --- Introduction -------------------------------------------------------------------------------

Task<void> DuplexUpstream::introduce() {
  const auto self = shared_from_this();
  const std::uint64_t life = lives_;
  const bool modern = key_.era == Era::modern;
  Result<ReceivedMessage> answer = co_await ask_introduction();
  if (life == lives_ && answer.has_value() && asks_for_another_try(answer->message)) {
    home_.give_back(std::move(answer->document));
    answer = co_await ask_introduction();
  }
  if (life != lives_) co_return;
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
  if (events_.reached) events_.reached(key_, true);
  handshake_.end();
  begin_waiting();
}

Task<Result<ReceivedMessage>> DuplexUpstream::ask_introduction() {
  return key_.era == Era::modern
             ? ask(GatewayMessage::server_discover, "server/discover", modern_params(config_))
             : ask(GatewayMessage::initialize, "initialize", initialize_params(config_));
}

Task<Result<ReceivedMessage>> DuplexUpstream::ask(GatewayMessage kind, std::string method,
                                                  std::string params) {
  const std::uint64_t life = lives_;
  const Result<void> recorded = co_await events_.record_gateway_message(key_, method);
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  if (life != lives_) co_return std::unexpected(handshake_.failure());
  const std::uint64_t id = in_flight_.next_id();
  auto pending = std::make_shared<PendingCall>(home_);
  in_flight_.add(id, pending);
  const Permit permit = Permit::own(kind, write_request(std::to_string(id), method, params));
  if (!write(permit.wire(), 0)) {
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

void DuplexUpstream::fail_introduction(Error error) {
  // Kept, where somebody only wanted to know: a client that learns of this will ask for the legacy
  // era next.
  const bool is_kept = key_.era == Era::modern && handshake_.has_waiters() && !is_probe(key_);
  if (!is_kept) return give_up_start(std::move(error));
  error.code = ErrorCode::unsupported_version;
  events_.state(key_, "does not speak the modern era");
  fail_calls_and_waiting(error);
  state_ = State::declined;
  handshake_.fail(std::move(error));
}

bool DuplexUpstream::downgrade_to_legacy() {
  if (state_ != State::declined || stopping_) return false;
  key_.era = Era::legacy;
  state_ = State::starting;
  handshake_.begin();
  spawn(home_, introduce());
  return true;
}

Task<Result<ServerHandshake>> DuplexUpstream::introduction() {
  const auto self = shared_from_this();
  if (state_ == State::stopped) start();
  if (handshake_.is_going_on()) co_await handshake_.wait(limits::server_start_deadline);
  if (state_ != State::running) co_return std::unexpected(handshake_.failure());
  co_return *handshake_.introduction();
}

void DuplexUpstream::fail_calls_and_waiting(const Error& error) {
  in_flight_.fail_calls(error);
  queue_.fail(error);
}

// --- Calls --------------------------------------------------------------------------------------

void DuplexUpstream::call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
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

void DuplexUpstream::send_now(CallQueue::Waiting&& call) {
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
void DuplexUpstream::begin_waiting() {
  if (state_ == State::running) queue_.begin_waiting();
}

void DuplexUpstream::tell(Permit permit, std::uint64_t asked_in) {
  if (asked_in != 0 && asked_in != beginning_) return;
  if (!permit.empty() && !write(permit.wire(), 0)) events_.dropped(key_, "answer_not_taken");
}

void DuplexUpstream::cancel(const std::shared_ptr<PendingCall>& pending) {
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

// --- What the server sends
// ------------------------------------------------------------------------

void DuplexUpstream::take_text(Bytes text) {
  Receipt receipt = receive_message(home_, memory_, std::move(text), kResponseLimits);
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
    const bool is_odd = !hears_others_ && message.id && !message.id.is(JsonType::null) && !is_late;
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
void DuplexUpstream::on_refused(const RefusedMessage& refused) {
  const bool has_room = refused.error.code != ErrorCode::overloaded;
  events_.dropped(key_, has_room ? "not_a_message" : "no_memory");
  const std::shared_ptr<PendingCall> pending = route_refused(in_flight_, refused);
  if (pending == nullptr) return;
  pending->fail(unreadable(refused));
  begin_waiting();
}

// --- Lives --------------------------------------------------------------------------------------

void DuplexUpstream::start() {
  if (!may_begin()) {
    fail_calls_and_waiting(handshake_.failure());
    return handshake_.end();
  }
  state_ = State::starting;
  handshake_.begin();
  begin();
}

void DuplexUpstream::begin_life() {
  ++lives_;
  spawn(home_, introduce());
}

/// Whoever stopped it has answered the calls; nobody else starts what is starting.
void DuplexUpstream::end_stopped_start() {
  state_ = State::stopped;
  handshake_.end();
}

void DuplexUpstream::fail_start(Error error) {
  if (events_.reached) events_.reached(key_, false);
  give_up_start(std::move(error));
}

void DuplexUpstream::give_up_start(Error error) {
  error.code = ErrorCode::server_unavailable;
  events_.state(key_, "failed: " + error.detail);
  fail_calls_and_waiting(error);
  handshake_.fail(std::move(error));
  state_ = State::stopped;
  end_life();
}

void DuplexUpstream::note_end(const std::optional<std::string>& ending) {
  ++lives_;
  const bool was_running = state_ == State::running;
  handshake_.forget();
  if (stopping_) {
    handshake_.explain(server_failed("the server was stopped"));
    events_.state(key_, "stopped");
  } else if (was_running) {
    handshake_.explain(server_failed("the server ended while calls were in progress"));
    events_.state(key_, with_ending("ended unexpectedly", ending));
  } else if (state_ == State::starting) {
    const std::string how = with_ending("ended before it introduced itself", ending);
    handshake_.explain({ErrorCode::server_unavailable, Fault::server, "the server " + how});
    events_.state(key_, how);
  }
  // A process that ran is started again where somebody needs it.
  const bool is_lost = state_ == State::starting || (was_running && config_.command.empty());
  if (is_lost && !stopping_ && events_.reached) events_.reached(key_, false);
  // What waited for room was never sent, and can be sent to the next process; but a server that
  // does not even start is not started for ever because somebody waits.
  if (was_running && !stopping_) {
    in_flight_.fail_calls(handshake_.failure());
  } else {
    fail_calls_and_waiting(handshake_.failure());
  }
  handshake_.end();
  if (stopping_) {
    state_ = State::stopped;
    return;
  }
  state_ = State::waiting_to_restart;
  spawn(home_, restart_later());
}

Task<void> DuplexUpstream::restart_later() {
  const auto self = shared_from_this();
  restart_delay_ = std::clamp<std::chrono::milliseconds>(
      restart_delay_ * 2, limits::server_restart_delay_min, limits::server_restart_delay_max);
  co_await restart_pause_.wait(restart_delay_);
  if (state_ != State::waiting_to_restart) co_return;
  state_ = State::stopped;
  // Started again only when somebody waits for it: a server that nobody calls may stay down.
  if (queue_.size() > 0 && !stopping_) start();
}

void DuplexUpstream::stop() {
  stopping_ = true;
  restart_pause_.notify();  // Nothing sleeps for a server that is not started again.
  const std::uint64_t life = lives_;
  end_life();
  if (life != lives_) return;
  stop_beginning();
  // While it begins, somebody may wait for it already.
  if (state_ == State::starting) handshake_.explain(server_failed("the server was stopped"));
  fail_calls_and_waiting(handshake_.failure());
  handshake_.end();
}

}  // namespace bartizan
