#include "gateway/run.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "config/load_config.h"
#include "gateway/connection.h"
#include "gateway/listener.h"
#include "gateway/log.h"
#include "gateway/probe.h"
#include "gateway/status_pages.h"
#include "gateway/worker.h"
#include "schemas/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// How often sessions expire, summaries are written and servers that are down are tried again.
constexpr std::chrono::seconds kHousekeeping{1};
constexpr std::chrono::seconds kProbeAgain{15};
constexpr std::uint32_t kProbeAllEvery = 20;
/// Seconds between two notes of the record's head in the log: a head kept elsewhere is what makes
/// a truncated record visible.
constexpr std::uint64_t kHeadEvery = 60;
/// Connections to the metrics listener: scrapers are few, and descriptors are the clients'.
constexpr std::uint32_t kStatusConnectionsMax = 64;
constexpr std::uint16_t kControlIndex = 0xffff;

/// Everything that `bartizan run` holds, wired once. The main thread runs the control loop:
/// signals, the metrics listener, the admin socket, new policies. Each worker has a thread.
class Control {
 public:
  explicit Control(Config config);

  Result<void> open();
  int run();

 private:
  SnapshotPtr compile();
  Result<void> open_log();
  Result<void> open_workers();
  Result<void> open_listeners();
  Result<void> open_admin();
  void start_threads();
  void accept(Worker& worker, TcpSocket socket);
  Task<void> serve_client(Worker& worker, std::unique_ptr<Stream> stream);
  Task<void> serve_metrics(std::unique_ptr<Stream> stream);
  Task<void> accept_admin();
  Task<void> serve_admin(std::unique_ptr<Stream> stream);
  Task<void> probe();
  Task<void> watch_signals();
  Task<void> keep_house(Worker& worker);
  Task<void> drain();
  std::vector<EncodedRecord> take_summaries(Clock::time_point now);
  void write_summaries(Clock::time_point now);
  void learn(const std::string& server, ListKind kind, std::vector<std::string> names);
  void publish_policy();
  void note(RecordKind kind, std::string_view detail);

  Config config_;
  KnownNames names_;
  Random random_;
  HashSeed seed_;
  MemoryBudget memory_;
  LimitGuard limits_;
  SessionCounts sessions_;
  Refusals refusals_;
  std::optional<KeyedDigest> digest_;
  std::optional<SharedLog> log_;
  std::optional<Gateway> gateway_;
  Loop loop_{kControlIndex};
  std::shared_ptr<asio::ssl::context> tls_;
  std::vector<std::shared_ptr<TcpAcceptor>> acceptors_;
  std::shared_ptr<TcpAcceptor> metrics_acceptor_;
  std::optional<UnixAcceptor> admin_acceptor_;
  asio::basic_signal_set<Executor> signals_{loop_.executor(), SIGTERM, SIGINT};
  std::vector<std::thread> threads_;
  bool policy_is_stale_ = false;
  std::uint32_t status_connections_ = 0;
  std::uint64_t repaired_bytes_ = 0;
  int exit_code_ = 0;
};

Control::Control(Config config) : config_(std::move(config)), memory_(config_.process.memory_max) {
  const auto seed = random_.draw<16>();
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed_[i / 8] |= static_cast<std::uint64_t>(seed[i]) << (8 * (i % 8));
  }
}

// --- Opening ------------------------------------------------------------------------------------

SnapshotPtr Control::compile() {
  return std::make_shared<const Snapshot>(Snapshot{.config = config_,
                                                   .policy = compile_policy(config_, names_, seed_),
                                                   .authenticator = Authenticator(config_.auth)});
}

Result<void> Control::open() {
  for (const Endpoint* address : {&config_.listen.address, &config_.metrics.address}) {
    const Result<void> is_free = check_address_is_free(*address);
    if (!is_free.has_value()) return is_free;
  }
  for (const auto step : {&Control::open_log, &Control::open_workers, &Control::open_listeners,
                          &Control::open_admin}) {
    const Result<void> opened = (this->*step)();
    if (!opened.has_value()) return opened;
  }
  return {};
}

Result<void> Control::open_log() {
  std::string key;
  if (config_.audit.digest_key.kind == SecretReference::Kind::none) {
    const auto random = random_.draw<32>();
    key.assign(random.begin(), random.end());
  } else {
    Result<std::string> secret = read_secret(config_.audit.digest_key);
    if (!secret.has_value()) return std::unexpected(secret.error());
    key = std::move(*secret);
  }
  digest_.emplace(std::move(key));
  Result<AuditLog::Opened> opened = AuditLog::open(config_.audit.file);
  if (!opened.has_value()) return std::unexpected(opened.error());
  repaired_bytes_ = opened->repaired_bytes;
  log_.emplace(std::move(opened->log), config_.audit.durability);
  return {};
}

Result<void> Control::open_workers() {
  gateway_.emplace(memory_, *log_, limits_, sessions_, *digest_, refusals_);
  gateway_->learned = [this](const std::string& server, ListKind kind,
                             std::vector<std::string> names) {
    loop_.post_answer([this, server, kind, names = std::move(names)]() mutable {
      learn(server, kind, std::move(names));
    });
  };
  const SnapshotPtr snapshot = compile();
  const std::uint32_t count = config_.process.workers > 0
                                  ? config_.process.workers
                                  : std::max(1U, std::thread::hardware_concurrency());
  std::vector<UpstreamSet*> sets;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto worker = std::make_unique<Worker>(*gateway_, static_cast<std::uint16_t>(i), snapshot);
    for (const auto& [name, server] : config_.servers) {
      const Result<void> added = worker->upstreams.add_server(server);
      if (!added.has_value()) {
        return fail(added.error().code, added.error().fault,
                    "server \"" + name + "\": " + added.error().detail);
      }
    }
    sets.push_back(&worker->upstreams);
    gateway_->workers.push_back(std::move(worker));
  }
  for (const auto& worker : gateway_->workers)
    worker->upstreams.set_peers(sets);
  return {};
}

Result<void> Control::open_listeners() {
  if (config_.listen.tls.has_value()) {
    auto tls = make_server_tls(*config_.listen.tls);
    if (!tls.has_value()) return std::unexpected(tls.error());
    tls_ = std::move(*tls);
  }
  for (const auto& worker : gateway_->workers) {
    Result<TcpAcceptor> acceptor = listen_on(worker->loop, config_.listen.address);
    if (!acceptor.has_value()) return std::unexpected(acceptor.error());
    acceptors_.push_back(std::make_shared<TcpAcceptor>(std::move(*acceptor)));
    spawn(worker->loop, accept_connections(worker->loop, acceptors_.back(),
                                           [this, worker = worker.get()](TcpSocket socket) {
                                             accept(*worker, std::move(socket));
                                           }));
  }
  Result<TcpAcceptor> metrics = listen_on(loop_, config_.metrics.address);
  if (!metrics.has_value()) return std::unexpected(metrics.error());
  metrics_acceptor_ = std::make_shared<TcpAcceptor>(std::move(*metrics));
  spawn(loop_, accept_connections(loop_, metrics_acceptor_, [this](TcpSocket socket) {
          spawn(loop_, serve_metrics(std::make_unique<Stream>(std::move(socket), loop_.wheel())));
        }));
  return {};
}

Result<void> Control::open_admin() {
  if (!config_.admin.has_value()) return {};
  Result<UnixAcceptor> acceptor = listen_locally(loop_, config_.admin->socket);
  if (!acceptor.has_value()) return std::unexpected(acceptor.error());
  admin_acceptor_.emplace(std::move(*acceptor));
  spawn(loop_, accept_admin());
  return {};
}

// --- Connections --------------------------------------------------------------------------------

void Control::accept(Worker& worker, TcpSocket socket) {
  auto stream = std::make_unique<Stream>(std::move(socket), worker.loop.wheel());
  if (!gateway_->connections.take(stream->peer_address())) {
    note_refusal(worker, *stream,
                 {.status = 0, .reason = Reason::overloaded, .detail = "too many connections"});
    return stream->close();
  }
  spawn(worker.loop, serve_client(worker, std::move(stream)));
}

Task<void> Control::serve_client(Worker& worker, std::unique_ptr<Stream> stream) {
  const std::string address = stream->peer_address();
  const auto timeout = config_.session.authentication_timeout;
  const bool secured = tls_ == nullptr || (co_await stream->accept_tls(*tls_, timeout)).has_value();
  if (secured) {
    Connection connection(worker, std::move(stream));
    worker.connections.insert(&connection);
    co_await connection.run();
    worker.connections.erase(&connection);
  }
  gateway_->connections.give_back(address);
}

Task<void> Control::serve_metrics(std::unique_ptr<Stream> stream) {
  if (status_connections_ >= kStatusConnectionsMax) co_return stream->close();
  ++status_connections_;
  co_await serve_status(std::move(stream),
                        [this](std::string_view path) { return status_page(*gateway_, path); });
  --status_connections_;
}

Task<void> Control::accept_admin() {
  while (admin_acceptor_->is_open()) {
    UnixSocket socket(loop_.executor());
    const auto [error] = co_await admin_acceptor_->async_accept(socket, kAwait);
    if (error) co_return;
    auto stream = std::make_unique<Stream>(std::move(socket), loop_.wheel());
    spawn(loop_, serve_admin(std::move(stream)));
  }
}

Task<void> Control::serve_admin(std::unique_ptr<Stream> stream) {
  const std::string own = "uid:" + std::to_string(geteuid());
  if (stream->peer() != own && stream->peer() != "uid:0") {
    log(LogLevel::warning, "admin refused", {{"peer", stream->peer()}});
    co_return stream->close();
  }
  co_await serve_status(std::move(stream),
                        [this](std::string_view path) { return admin_page(*gateway_, path); });
}

// --- Policy and servers -------------------------------------------------------------------------

void Control::learn(const std::string& server, ListKind kind, std::vector<std::string> names) {
  const bool is_tools = kind == ListKind::tools;
  if (!is_tools && kind != ListKind::prompts) return;
  auto& known = (is_tools ? names_.tools : names_.prompts)[server];
  std::set<std::string> merged(known.begin(), known.end());
  const std::size_t before = merged.size();
  for (std::string& name : names) {
    // Several principals may see different lists; what is known is their union, within a bound.
    if (merged.size() >= limits::catalogue_entries_max) break;
    merged.insert(std::move(name));
  }
  if (merged.size() == before) return;
  known.assign(merged.begin(), merged.end());
  if (std::exchange(policy_is_stale_, true)) return;
  asio::post(loop_.io(), [this] { publish_policy(); });
}

void Control::publish_policy() {
  policy_is_stale_ = false;
  const SnapshotPtr snapshot = compile();
  for (const auto& worker : gateway_->workers) {
    worker->loop.post_answer([worker = worker.get(), snapshot] { worker->snapshot = snapshot; });
  }
}

Task<void> Control::probe() {
  Worker& prober = *gateway_->workers.front();
  auto directory = std::make_shared<const Directory>();
  std::vector<std::string> all;
  for (const auto& [name, server] : config_.servers)
    all.push_back(name);
  std::vector<std::string> servers = all;
  std::uint32_t rounds = 0;
  const auto publish = [this](const DirectoryPtr& found) {
    for (const auto& worker : gateway_->workers) {
      worker->loop.post_answer([worker = worker.get(), found] { worker->directory = found; });
    }
  };
  Signal pause(prober.loop.executor(), prober.loop.wheel());
  while (!gateway_->draining.load()) {
    if (!servers.empty() || !directory->probed) {
      directory = co_await probe_servers(prober, std::move(servers), directory, publish);
      publish(directory);
    }
    co_await pause.wait(kProbeAgain);
    // Now and then everyone is asked: a server may have learnt another era, or be gone.
    servers = ++rounds % kProbeAllEvery == 0 ? all : servers_down(*directory);
  }
}

// --- Running ------------------------------------------------------------------------------------

void Control::note(RecordKind kind, std::string_view detail) {
  Record record{.kind = kind, .time = std::chrono::system_clock::now()};
  record.principal = "gateway";
  record.policy = config_.digest;
  record.detail = detail;
  const Result<void> written = log_->append({encode_record(record)});
  if (!written.has_value()) log_->count_lost();
}

std::vector<EncodedRecord> Control::take_summaries(Clock::time_point now) {
  std::vector<EncodedRecord> records;
  for (const Refusals::Summary& summary : refusals_.take_summaries(now)) {
    Record record{.kind = RecordKind::summary, .time = std::chrono::system_clock::now()};
    (summary.is_principal ? record.principal : record.source) = summary.who;
    record.decision = "deny";
    record.reason = summary.is_principal ? text(Reason::limited) : std::string_view();
    record.count = summary.count;
    record.detail = "refusals beyond the quota";
    records.push_back(encode_record(record));
  }
  return records;
}

void Control::write_summaries(Clock::time_point now) {
  std::vector<EncodedRecord> records = take_summaries(now);
  if (records.empty()) return;
  const std::size_t count = records.size();
  const Result<void> written = log_->append(std::move(records));
  for (std::size_t i = 0; i < count && !written.has_value(); ++i)
    log_->count_lost();
}

Task<void> Control::keep_house(Worker& worker) {
  std::uint64_t seconds = 0;
  Signal pause(worker.loop.executor(), worker.loop.wheel());
  while (true) {
    co_await pause.wait(kHousekeeping);
    for (const std::string& ended :
         worker.sessions.expire(worker.snapshot->config.session, Clock::now())) {
      worker.end_owner(ended);
    }
    if (worker.loop.index() != 0) continue;
    log_->retry();
    write_summaries(Clock::now());
    if (++seconds % kHeadEvery == 0) {
      log(LogLevel::info, "record head", {{"head", log_->head().text()}});
    }
  }
}

Task<void> Control::watch_signals() {
  co_await signals_.async_wait(kAwait);
  spawn(loop_, drain());
  co_await signals_.async_wait(kAwait);
  log(LogLevel::warning, "stopped at once",
      {{"calls", std::to_string(gateway_->calls_in_progress)}});
  note(RecordKind::stop, "stopped at once by a second signal");
  // No destructor may wait for anything now; children die with their pipes and their parent.
  std::_Exit(1);
}

Task<void> Control::drain() {
  log(LogLevel::info, "stopping", {{"calls", std::to_string(gateway_->calls_in_progress)}});
  gateway_->draining = true;
  for (std::size_t i = 0; i < gateway_->workers.size(); ++i) {
    Worker& worker = *gateway_->workers[i];
    worker.loop.post_answer([&worker, acceptor = acceptors_[i]] {
      error_code ignored;
      acceptor->close(ignored);
      worker.sessions.for_each([](Session& session) {
        if (session.stream != nullptr) std::exchange(session.stream, nullptr)->finish({});
      });
      for (Connection* connection : worker.connections)
        connection->drain();
    });
  }
  Signal pause(loop_.executor(), loop_.wheel());
  const Clock::time_point deadline = Clock::now() + config_.process.drain;
  while (gateway_->calls_in_progress > 0 && Clock::now() < deadline) {
    co_await pause.wait(limits::timer_tick);
  }
  exit_code_ = gateway_->calls_in_progress > 0 ? 1 : 0;
  for (const auto& worker : gateway_->workers) {
    worker->loop.post_answer([worker = worker.get()] { worker->upstreams.stop(); });
  }
  const Clock::time_point last = Clock::now() + 3 * limits::server_stop_grace;
  while (gateway_->children > 0 && Clock::now() < last)
    co_await pause.wait(limits::timer_tick);
  // One more turn, so that answers that are ready reach their sockets.
  co_await pause.wait(2 * limits::timer_tick);
  for (const auto& worker : gateway_->workers)
    worker->loop.stop();
  loop_.stop();
}

int Control::run() {
  if (repaired_bytes_ > 0) {
    const std::string detail =
        std::to_string(repaired_bytes_) + " bytes of a torn record were cut off";
    log(LogLevel::warning, "record repaired", {{"detail", detail}});
    note(RecordKind::repair, detail);
  }
  note(RecordKind::start, "bartizan started");
  Worker& prober = *gateway_->workers.front();
  if (prober.snapshot->policy->observes(std::time(nullptr))) {
    log(LogLevel::warning, "policy only observes", {{"until", "the date at [policy] until"}});
  }
  spawn(prober.loop, probe());
  for (const auto& worker : gateway_->workers) {
    spawn(worker->loop, keep_house(*worker));
    threads_.emplace_back([worker = worker.get()] { worker->loop.run(); });
  }
  spawn(loop_, watch_signals());
  const std::string scheme = tls_ == nullptr ? "http://" : "https://";
  const auto place = [](const Endpoint& address) {
    return address.host + ":" + std::to_string(address.port);
  };
  log(LogLevel::info, "listening",
      {{"mcp", scheme + place(config_.listen.address) + config_.listen.path},
       {"metrics", "http://" + place(config_.metrics.address) + "/metrics"},
       {"record", config_.audit.file},
       {"head", log_->head().text()}});
  if (config_.auth.mode == AuthConfig::Mode::none) {
    log(LogLevel::warning, "authentication is off",
        {{"everyone is", config_.auth.principal}, {"reachable from", "this machine only"}});
  }
  loop_.run();
  for (std::thread& thread : threads_)
    thread.join();
  // Also of addresses whose minute is not over: nobody counts them any further.
  write_summaries(Clock::now() + std::chrono::minutes(1));
  note(RecordKind::stop, exit_code_ == 0 ? "stopped in order" : "calls were cut off");
  log(LogLevel::info, "stopped", {{"head", log_->head().text()}});
  return exit_code_;
}

}  // namespace

int run_gateway(const RunOptions& options) {
  LoadedConfig loaded = load_config(options.config_file);
  for (const ConfigProblem& problem : loaded.problems) {
    std::fprintf(stderr, "%s\n", text(problem).c_str());
  }
  if (!loaded.usable()) return 1;
  start_log(loaded.config.log.level);
  // A peer that closes while it is written to is an error value, not a signal.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // Likewise a record file at its size limit.
  auto control = std::make_unique<Control>(std::move(loaded.config));
  const Result<void> opened = control->open();
  if (!opened.has_value()) {
    log(LogLevel::error, "cannot start", {{"detail", opened.error().detail}});
    return 1;
  }
  const int exit_code = control->run();
  std::fflush(nullptr);
  // Loops that have stopped still hold frames whose peers are gone one by one; the process ends
  // here, and everything that must be kept was written above.
  std::_Exit(exit_code);
}

}  // namespace bartizan
