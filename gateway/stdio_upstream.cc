#include "gateway/stdio_upstream.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "gateway/introduce.h"
#include "gateway/log.h"
#include "schemas/limits.h"
#include "schemas/write_message.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

Error server_failed(std::string detail) {
  return {ErrorCode::server_failed, Fault::server, std::move(detail)};
}

}  // namespace

std::map<std::string, std::string> child_environment(const ServerConfig& config) {
  std::map<std::string, std::string> environment;
  const auto inherit = [&](const std::string& name) {
    if (const char* value = std::getenv(name.c_str())) environment[name] = value;
  };
  inherit("PATH");
  inherit("HOME");
  for (const std::string& name : config.env_allow)
    inherit(name);
  for (const auto& [name, value] : config.env)
    environment[name] = value;
  return environment;
}

StdioUpstream::Life::Life(Loop& home, ChildProcess child)
    : process(std::move(child)),
      input(home.executor(), process.standard_input.release()),
      output(home.executor(), process.standard_output.release()),
      error(home.executor(), process.standard_error.release()) {}

StdioUpstream::StdioUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                             UpstreamEvents events)
    : home_(home),
      memory_(memory),
      config_(std::move(config)),
      key_(std::move(key)),
      events_(std::move(events)),
      in_flight_(config_.max_in_flight),
      last_failure_(server_failed("the server was never started")) {}

StdioUpstream::~StdioUpstream() = default;

// --- Starting -----------------------------------------------------------------------------------

void StdioUpstream::start() {
  ChildOptions options{.command = config_.command,
                       .cwd = config_.cwd,
                       .environment = child_environment(config_),
                       .user = config_.sandbox_user,
                       .memory_bytes_max = config_.sandbox_memory,
                       .open_files_max = config_.sandbox_open_files};
  Result<ChildProcess> child = ChildProcess::start(options);
  if (!child.has_value()) return fail_start(child.error());
  state_ = State::starting;
  life_ = std::make_shared<Life>(home_, std::move(*child));
  events_.children->fetch_add(1);
  events_.state(key_, std::exchange(has_run_, true) ? "started again" : "started");
  spawn(home_, read_output(life_));
  spawn(home_, read_errors(life_));
  spawn(home_, introduce(life_));
}

Task<void> StdioUpstream::introduce(LifePtr life) {
  const auto self = shared_from_this();
  const bool modern = key_.era == Era::modern;
  Result<ReceivedMessage> answer =
      modern ? co_await ask(OwnMessage::server_discover, "server/discover", modern_params(config_))
             : co_await ask(OwnMessage::initialize, "initialize", initialize_params(config_));
  if (life->over) co_return;
  if (!answer.has_value()) {
    fail_start(answer.error());
    co_return;
  }
  Result<ServerIntroduction> introduction = read_introduction(key_.era, answer->message);
  home_.give_back(std::move(answer->document));
  if (!introduction.has_value()) {
    fail_start(introduction.error());
    co_return;
  }
  if (!modern) {
    tell(Permit::own(OwnMessage::initialized, write_notification("notifications/initialized")));
  }
  introduction_ = std::move(*introduction);
  state_ = State::running;
  restart_delay_ = std::chrono::milliseconds(0);
  events_.state(key_, "ready");
  settle_introduction();
  send_waiting();
}

Task<Result<ReceivedMessage>> StdioUpstream::ask(OwnMessage kind, std::string method,
                                                 std::string params) {
  const Result<void> recorded = co_await events_.record_own(key_, method);
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  const std::uint64_t id = in_flight_.next_id();
  auto pending = std::make_shared<PendingCall>(home_);
  in_flight_.add(id, pending);
  const Permit permit = Permit::own(kind, write_request(std::to_string(id), method, params));
  if (!write(permit.wire())) {
    in_flight_.take(id);  // Or it would hold a place of the next process for ever.
    co_return std::unexpected(last_failure_);
  }
  Result<ReceivedMessage> answer =
      co_await pending->next(kind == OwnMessage::server_discover ? limits::server_probe_deadline
                                                                 : limits::server_start_deadline);
  in_flight_.take(id);
  co_return answer;
}

void StdioUpstream::fail_start(Error error) {
  last_failure_ = std::move(error);
  last_failure_.code = ErrorCode::server_unavailable;
  events_.state(key_, "failed: " + last_failure_.detail);
  in_flight_.fail_all(last_failure_);
  settle_introduction();
  state_ = State::stopped;
  if (life_ != nullptr && !life_->over) on_over(life_);
}

Task<Result<ServerIntroduction>> StdioUpstream::introduction() {
  const auto self = shared_from_this();
  if (state_ == State::stopped) start();
  if (state_ == State::starting) {
    auto waiter = std::make_shared<Signal>(home_.executor(), home_.wheel());
    introduction_waiters_.push_back(waiter);
    co_await waiter->wait(limits::server_start_deadline);
  }
  if (state_ != State::running) co_return std::unexpected(last_failure_);
  co_return *introduction_;
}

void StdioUpstream::settle_introduction() {
  for (const auto& waiter : std::exchange(introduction_waiters_, {}))
    waiter->notify();
}

// --- Calls --------------------------------------------------------------------------------------

void StdioUpstream::call(OutboundRequest request, std::shared_ptr<PendingCall> pending) {
  if (request.permit.empty() || stopping_)
    return pending->fail(server_failed("not accepting calls"));
  if (state_ == State::running && in_flight_.has_room()) {
    return send_now(std::move(request), std::move(pending));
  }
  if (!in_flight_.enqueue({std::move(request), pending})) {
    return pending->fail(
        {ErrorCode::overloaded, Fault::server, "too many calls wait for the server"});
  }
  if (state_ == State::stopped) start();
}

void StdioUpstream::send_now(OutboundRequest request, std::shared_ptr<PendingCall> pending) {
  const std::uint64_t id = in_flight_.next_id();
  if (!write(number_request(request, id))) {
    return pending->fail(
        {ErrorCode::overloaded, Fault::server, "the server does not read its input"});
  }
  in_flight_.add(id, std::move(pending));
}

void StdioUpstream::send_waiting() {
  while (state_ == State::running && in_flight_.has_room()) {
    auto waiting = in_flight_.dequeue();
    if (!waiting.has_value()) return;
    send_now(std::move(waiting->request), std::move(waiting->pending));
  }
}

void StdioUpstream::tell(Permit permit) {
  if (!permit.empty()) write(permit.wire());
}

void StdioUpstream::cancel(const std::shared_ptr<PendingCall>& pending) {
  if (in_flight_.forget_waiting(pending)) return;
  const auto id = in_flight_.id_of(pending);
  if (!id.has_value()) return;
  in_flight_.take(*id);
  tell(Permit::own(OwnMessage::cancelled,
                   write_notification("notifications/cancelled",
                                      R"({"requestId":)" + std::to_string(*id) + "}")));
  send_waiting();
}

// --- The pipes ----------------------------------------------------------------------------------

bool StdioUpstream::write(std::string line) {
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
  Life::Line queued{.text = std::move(line), .memory = {}};
  if (!hold(memory_, queued.memory, queued.text.size())) return false;
  life_->line_bytes += queued.text.size();
  life_->lines.push_back(std::move(queued));
  if (!life_->writing) {
    life_->writing = true;
    spawn(home_, write_input(life_));
  }
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
    while (!rest.empty()) {
      LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (step.line.has_value() && !step.line->empty()) on_line(std::move(*step.line));
    }
    if (!hold(memory_, held, lines.buffered())) lines.drop_line();
    for (; dropped < lines.dropped_lines(); ++dropped)
      events_.dropped(key_, "line_too_long");
  }
  if (lines.take_unterminated().has_value()) events_.dropped(key_, "line_unterminated");
  on_over(life);
}

void StdioUpstream::on_line(Bytes line) {
  Receipt receipt = receive_message(home_, memory_, std::move(line), kResponseLimits);
  if (!receipt.has_value() || receipt->is_batch()) {
    events_.dropped(key_, "not_a_message");
    return;
  }
  const bool is_answer = receipt->message.is_answer();
  const Message& message = receipt->message;
  const bool is_for_all = tells_of_changed_list(message) && !names_subscription(message);
  const std::shared_ptr<PendingCall> pending = is_for_all ? nullptr : route(in_flight_, message);
  if (pending != nullptr) {
    pending->deliver(std::move(*receipt));
  } else if (is_answer) {
    events_.dropped(key_, "unknown_id");
  } else {
    events_.message(key_, std::move(*receipt));
  }
  if (is_answer) send_waiting();
}

Task<void> StdioUpstream::read_errors(LifePtr life) {
  const auto self = shared_from_this();
  LineReader lines(limits::line_bytes_max);
  std::vector<char> buffer(4096);
  while (true) {
    const auto [error, size] = co_await life->error.async_read_some(asio::buffer(buffer), kAwait);
    if (error) break;
    std::string_view rest(buffer.data(), size);
    while (!rest.empty()) {
      const LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (step.line.has_value()) log_server_line(key_.server, step.line->view());
    }
  }
}

// --- Ending -------------------------------------------------------------------------------------

void StdioUpstream::on_over(const LifePtr& life) {
  if (life->over) return;
  life->over = true;
  spawn(home_, end(life));
  if (life_ != life) return;
  const bool was_running = state_ == State::running;
  introduction_.reset();
  if (was_running) {
    last_failure_ = server_failed("the server ended while calls were in progress");
    events_.state(key_, stopping_ ? "stopped" : "ended unexpectedly");
  } else if (state_ == State::starting) {
    last_failure_ = {ErrorCode::server_unavailable, Fault::server,
                     "the server ended before it introduced itself"};
  }
  in_flight_.fail_all(last_failure_);
  settle_introduction();
  life_ = nullptr;
  if (stopping_) {
    state_ = State::stopped;
    return;
  }
  state_ = State::waiting_to_restart;
  spawn(home_, restart_later());
}

Task<void> StdioUpstream::restart_later() {
  const auto self = shared_from_this();
  restart_delay_ = std::clamp<std::chrono::milliseconds>(
      restart_delay_ * 2, limits::server_restart_delay_min, limits::server_restart_delay_max);
  Signal pause(home_.executor(), home_.wheel());
  co_await pause.wait(restart_delay_);
  if (state_ != State::waiting_to_restart) co_return;
  state_ = State::stopped;
  // Started again only when somebody waits for it: a server that nobody calls may stay down.
  if (in_flight_.waiting() > 0 && !stopping_) start();
}

Task<void> StdioUpstream::end(LifePtr life) {
  const auto self = shared_from_this();
  error_code ignored;
  life->input.close(ignored);
  Signal pause(home_.executor(), home_.wheel());
  const std::array<int, 2> signals{SIGTERM, SIGKILL};
  std::optional<std::string> ending = life->process.ended();
  for (const int number : signals) {
    const auto deadline = std::chrono::steady_clock::now() + limits::server_stop_grace;
    while (!ending.has_value() && std::chrono::steady_clock::now() < deadline) {
      co_await pause.wait(limits::timer_tick);
      ending = life->process.ended();
    }
    if (ending.has_value()) break;
    life->process.signal(number);
  }
  if (ending.has_value())
    log(LogLevel::debug, "process ended", {{"server", key_.server}, {"how", *ending}});
  life->output.close(ignored);
  life->error.close(ignored);
  events_.children->fetch_sub(1);
}

void StdioUpstream::stop() {
  stopping_ = true;
  if (life_ != nullptr) return on_over(life_);
  in_flight_.fail_all(last_failure_);
}

}  // namespace bartizan
