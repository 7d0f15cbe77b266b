// The load of the benchmark: keep-alive connections in lock step, each sends its next call when its
// answer is whole. The same for every target, so what it costs itself cancels out of the ratios.
//
//   bench_load PORT --connections 32 --seconds 3 --tool origin_read_note --key KEY
//
// One line of JSON at the end: requests, errors, seconds, p50_us, p99_us. With --hold, each
// connection makes one call and stays open and silent until standard input ends. With --authority
// it speaks TLS and checks the target's certificate. With --own-sessions each connection opens a
// legacy session of its own; otherwise all share one. With --wait it opens its connections, prints
// a line, and begins when standard input ends. With --wire sse or websocket, each connection is a
// session over that. With --rate, calls are due at so many a second, whatever is unanswered. Their
// times count from when they were due, so a stall counts for all calls that it held up.
#include <sys/epoll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/runtime/fd_limit.h"
#include "tests/bench/call_bytes.h"
#include "tests/bench/channel.h"
#include "tests/bench/http_framing.h"
#include "tests/bench/session.h"
#include "tests/bench/sockets.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAnswerWaitMs = 30'000;
constexpr std::size_t kConnectionsPerAddress = 500;

struct Plan {
  std::uint16_t port = 0;
  std::size_t connections = 1;
  std::uint64_t requests = 0;  ///< Stop after so many; 0: after `seconds`.
  double seconds = 1;
  double rate = 0;  ///< Calls per second; 0: as many as are answered.
  bool hold = false;
  bool own_sessions = false;
  bool wait = false;
  Wire wire = Wire::http;
  std::string authority;               ///< A PEM file; plain where it is empty.
  std::vector<std::uint16_t> sources;  ///< A connection from each of these ports; or `connections`.
  CallShape shape;
};

struct Connection {
  std::optional<Channel> channel;
  std::optional<CallBytes> call;
  std::unique_ptr<WireSession> wire = {};  ///< In place of both, where it is not `http`.
  std::string in = {};
  std::uint64_t id = 0;
  Clock::time_point sent = {};
  bool is_answered = false;  ///< Over a wire, the message; and the request that posted it.
  bool is_posted = false;
};

/// In what epoll tells of a connection: that of its posts.
constexpr std::uint64_t kPosts = std::uint64_t{1} << 32;

struct Outcome {
  std::uint64_t errors = 0;
  std::string first_error;
  std::vector<std::uint32_t> nanoseconds;
};

bool is_result(std::string_view body, std::uint64_t id) {
  return body.contains("\"id\":" + std::to_string(id)) && body.contains(R"("result":{)") &&
         !body.contains(R"("isError":true)");
}

bool is_answer(const FramedMessage& answer, std::uint64_t id) {
  return answer.head.starts_with("HTTP/1.1 200") && is_result(answer.body, id);
}

class Load {
 public:
  /// Lifetime: `context`, where there is one, until the load's end.
  Load(Plan plan, SSL_CTX* context)
      : plan_(std::move(plan)), context_(context), epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  /// Runs to the end of the plan. With a reason on standard error where nothing was answered.
  Outcome run();
  double seconds() const { return std::chrono::duration<double>(ended_ - began_).count(); }

 private:
  void open();
  Connection open_one(std::size_t index) const;
  Source source(std::size_t index) const;
  void send_next(Connection& connection);
  void send_call(Connection& connection, Clock::time_point sent);
  void send_due();
  timespec wait_time() const;
  bool is_over() const;
  void take_arrived();
  void watch(const Channel& channel, std::uint64_t what) const;
  void take(Connection& connection);
  void take_wire(Connection& connection, bool is_posts);
  void count(const Connection& connection, bool is_right, std::string_view answer);

  Plan plan_;
  SSL_CTX* context_;
  Descriptor epoll_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> idle_;  ///< With a rate: connections without a call.
  Clock::time_point due_;          ///< With a rate: when the next call is.
  std::size_t open_calls_ = 0;
  std::uint64_t next_ = 0;
  Outcome outcome_;
  Clock::time_point began_;
  Clock::time_point ended_;
};

bool Load::is_over() const {
  if (plan_.hold) return next_ >= plan_.connections;
  if (plan_.requests > 0) return next_ >= plan_.requests;
  return Clock::now() - began_ >= std::chrono::duration<double>(plan_.seconds);
}

/// Connections come from several addresses, since what one address may have is limited.
Source Load::source(std::size_t index) const {
  const auto host = static_cast<std::uint8_t>(1 + index / kConnectionsPerAddress);
  return {host, plan_.sources.empty() ? std::uint16_t{0} : plan_.sources.at(index)};
}

Connection Load::open_one(std::size_t index) const {
  if (plan_.wire != Wire::http) {
    auto wire = std::make_unique<WireSession>(plan_.wire, plan_.port, source(index), plan_.shape);
    return {.channel = {}, .call = {}, .wire = std::move(wire)};
  }
  Channel channel = open_channel(plan_.port, source(index), context_);
  CallShape shape = plan_.shape;
  if (plan_.own_sessions) shape.session = open_session(channel, shape);
  return {.channel = std::move(channel), .call = CallBytes(shape)};
}

void Load::watch(const Channel& channel, std::uint64_t what) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = what;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, channel.number(), &event);
}

void Load::open() {
  connections_.reserve(plan_.connections);
  for (std::size_t i = 0; i < plan_.connections; ++i) {
    connections_.push_back(open_one(i));
    const Connection& opened = connections_.back();
    watch(opened.wire != nullptr ? opened.wire->stream() : *opened.channel, i);
    if (opened.wire != nullptr && opened.wire->posts() != nullptr) {
      watch(*opened.wire->posts(), i | kPosts);
    }
    // Thousands at once would measure the accept queue; held ones come one after another.
    if (!plan_.hold) continue;
    send_next(connections_.back());
    while (open_calls_ > 0)
      take_arrived();
  }
}

void Load::send_next(Connection& connection) {
  if (is_over()) return;
  if (plan_.rate > 0) {
    idle_.push_back(static_cast<std::size_t>(&connection - connections_.data()));
    return;
  }
  send_call(connection, Clock::now());
}

void Load::send_call(Connection& connection, Clock::time_point sent) {
  connection.id = kFirstId + next_++;
  ++open_calls_;
  connection.sent = sent;
  if (connection.wire != nullptr) {
    connection.is_answered = false;
    connection.is_posted = connection.wire->posts() == nullptr;
    return connection.wire->send_call(connection.id);
  }
  const std::string_view request = connection.call->with_id(connection.id);
  if (connection.channel->send_some(request) != request.size()) give_up("send");
}

void Load::send_due() {
  const auto gap =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / plan_.rate));
  while (!idle_.empty() && !is_over() && due_ <= Clock::now()) {
    const std::size_t index = idle_.back();
    idle_.pop_back();
    send_call(connections_.at(index), std::exchange(due_, due_ + gap));
  }
}

/// How long to wait for answers: until the next call is due, where a connection is idle.
timespec Load::wait_time() const {
  using std::chrono::milliseconds;
  using std::chrono::nanoseconds;
  nanoseconds left = milliseconds(kAnswerWaitMs);
  if (!idle_.empty() && !is_over()) left = std::max(nanoseconds(due_ - Clock::now()), {});
  return {.tv_sec = left / std::chrono::seconds(1),
          .tv_nsec = (left % std::chrono::seconds(1)).count()};
}

void Load::count(const Connection& connection, bool is_right, std::string_view answer) {
  outcome_.nanoseconds.push_back(
      static_cast<std::uint32_t>((Clock::now() - connection.sent) / std::chrono::nanoseconds(1)));
  if (!is_right && outcome_.errors++ == 0) outcome_.first_error = answer;
}

/// The next call follows when its message is answered, and the request that carried it.
void Load::take_wire(Connection& connection, bool is_posts) {
  WireSession& wire = *connection.wire;
  if (is_posts) {
    connection.is_posted = wire.take_posted() || connection.is_posted;
  } else if (wire.take() == Received::ended) {
    give_up("the target closed a stream");
  }
  while (auto message = wire.next()) {
    if (!message->contains("\"id\":")) continue;
    count(connection, is_result(*message, connection.id), *message);
    connection.is_answered = true;
  }
  if (!connection.is_answered || !connection.is_posted) return;
  connection.is_answered = false;
  --open_calls_;
  if (!plan_.hold) send_next(connection);
}

void Load::take(Connection& connection) {
  if (connection.channel->receive_some(connection.in) == Received::ended) {
    give_up("the target closed a connection");
  }
  const FramingResult next = read_framed(connection.in);
  if (next.state == Framing::broken) give_up("an answer without framing");
  if (next.state == Framing::incomplete) return;
  --open_calls_;
  count(connection, is_answer(next.message, connection.id),
        std::string(next.message.head) + std::string(next.message.body));
  connection.in.erase(0, next.message.bytes);
  if (!plan_.hold) send_next(connection);
}

void Load::take_arrived() {
  std::array<epoll_event, 256> events{};
  const timespec wait = wait_time();
  const int count = epoll_pwait2(epoll_.get(), events.data(), events.size(), &wait, nullptr);
  if (count == 0 && wait.tv_sec >= kAnswerWaitMs / 1000) give_up("no answer in time");
  for (int i = 0; i < count; ++i) {
    const std::uint64_t what = events.at(static_cast<std::size_t>(i)).data.u64;
    Connection& connection = connections_.at(what & ~kPosts);
    if (connection.wire == nullptr) {
      take(connection);
    } else {
      take_wire(connection, (what & kPosts) != 0);
    }
  }
}

/// So that whoever measures leaves out what it costs to open connections.
void wait_for_end_of_input() {
  std::fflush(stdout);
  char end = 0;
  while (read(STDIN_FILENO, &end, 1) > 0) {
  }
}

Outcome Load::run() {
  began_ = Clock::now();
  open();
  if (plan_.wait) {
    std::puts("open");
    wait_for_end_of_input();
  }
  if (!plan_.hold) {
    began_ = due_ = Clock::now();
    for (Connection& connection : connections_)
      send_next(connection);
  }
  while (open_calls_ > 0 || (!idle_.empty() && !is_over())) {
    if (plan_.rate > 0) send_due();
    take_arrived();
  }
  ended_ = Clock::now();
  std::ranges::sort(outcome_.nanoseconds);
  return std::move(outcome_);
}

double quantile_us(const Outcome& outcome, double part) {
  const auto& sorted = outcome.nanoseconds;
  if (sorted.empty()) return 0;
  const auto at = static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1));
  return sorted.at(at) / 1000.0;
}

int run(int count, char** arguments) {
  CLI::App app;
  Plan plan;
  app.add_option("port", plan.port)->required();
  app.add_option("--connections", plan.connections);
  app.add_option("--requests", plan.requests);
  app.add_option("--seconds", plan.seconds);
  app.add_option("--rate", plan.rate);
  app.add_flag("--hold", plan.hold);
  app.add_flag("--own-sessions", plan.own_sessions);
  app.add_flag("--wait", plan.wait);
  std::string wire = "http";
  app.add_option("--wire", wire);
  app.add_option("--authority", plan.authority);
  app.add_option("--sources", plan.sources);
  app.add_flag("--modern", plan.shape.modern);
  app.add_option("--path", plan.shape.path);
  app.add_option("--tool", plan.shape.tool)->required();
  app.add_option("--key", plan.shape.key);
  app.add_option("--session", plan.shape.session);
  CLI11_PARSE(app, count, arguments);
  raise_open_files();
  plan.wire = wire_of(wire);
  if (!plan.sources.empty()) plan.connections = plan.sources.size();
  const bool hold = plan.hold;
  const TlsContext context = plan.authority.empty() ? nullptr : client_context(plan.authority);
  if (plan.wire == Wire::http && !plan.shape.modern && !plan.own_sessions &&
      plan.shape.session.empty()) {
    Channel channel = open_channel(plan.port, {}, context.get());
    plan.shape.session = open_session(channel, plan.shape);
  }
  Load load(std::move(plan), context.get());
  const Outcome outcome = load.run();
  if (outcome.errors > 0) std::fprintf(stderr, "%s\n", outcome.first_error.c_str());
  std::printf(R"({"requests":%zu,"errors":%llu,"seconds":%.6f,"p50_us":%.2f,"p99_us":%.2f})"
              "\n",
              outcome.nanoseconds.size(), static_cast<unsigned long long>(outcome.errors),
              load.seconds(), quantile_us(outcome, 0.5), quantile_us(outcome, 0.99));
  if (hold) wait_for_end_of_input();
  return outcome.errors == 0 && !outcome.nanoseconds.empty() ? 0 : 1;
}

}  // namespace
}  // namespace bartizan

int main(int count, char** arguments) {
  return bartizan::run(count, arguments);
}
