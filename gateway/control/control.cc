#include "gateway/control/control.h"
#include "gateway/client/agent_client.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "config/parse_units.h"
#include "gateway/approval/approval_desk.h"
#include "gateway/control/apply_snapshot.h"
#include "gateway/control/probe.h"
#include "gateway/process/systemd_notify.h"
#include "gateway/review/config_review.h"
#include "gateway/runtime/block_cache.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/status/revocation_orders.h"
#include "gateway/store/tool_registrations.h"
#include "gateway/worker/list_changes.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// How often sessions expire, summaries are written and servers that are down are tried again.
constexpr std::chrono::seconds kHousekeeping{1};
constexpr std::chrono::seconds kProbeAgain{15};
constexpr std::uint32_t kProbeAllEvery = 20;
/// A new server that is not up is asked again after these pauses, each twice the one before; then
/// the prober's usual rounds have it.
constexpr std::chrono::seconds kAskAgain{1};
constexpr std::chrono::seconds kAskAgainMax{8};
/// Names without a tool that /readyz and the log tell of.
constexpr std::size_t kUnknownNamesShown = 64;
/// Seconds between two notes of the record's head in the log: a head kept elsewhere is what makes
/// a truncated record visible.
constexpr std::uint64_t kHeadEvery = 60;
/// After so many seconds it is looked whether memory can be given back, and so little in use is
/// none that anybody needs soon.
constexpr std::uint64_t kMemoryEvery = 10;
/// Seconds between two looks at the memory of servers.
constexpr std::uint64_t kMemoryLookEvery = 2;
constexpr std::uint64_t kLittleMemory = std::uint64_t{4} << 20;
/// A second signal within this time is the first one's duplicate.
constexpr std::chrono::seconds kSameSignal{1};

std::map<std::string, std::shared_ptr<asio::ssl::context>, std::less<>> contexts_of(
    const SocketTls& all) {
  std::map<std::string, std::shared_ptr<asio::ssl::context>, std::less<>> contexts;
  for (const auto& [name, tls] : all)
    contexts.emplace(name, tls.context);
  return contexts;
}

}  // namespace

void Control::learn(const std::string& server, ListKind kind, std::vector<std::string> names) {
  const bool is_tools = kind == ListKind::tools;
  if (!config_.servers.contains(server)) return;  // Removed while its list was on its way.
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

/// The configuration that runs, with what clients registered of tools.
SnapshotPtr Control::compile() {
  Config config = config_;
  if (gateway_->registrations != nullptr) {
    for (KeptRegistration& kept : gateway_->registrations->all())
      config.registrations.push_back(std::move(kept.registration));
  }
  auto policy = compile_policy(config, names_, seed_, scan_database_);
  return std::make_shared<const Snapshot>(Snapshot{
      .config = std::move(config),
      .policy = policy,
      .authenticator =
          Authenticator(config_.auth, policy, principals_,
                        {.accepted = std::make_shared<const AcceptedCredentials>(config_.endpoints),
                         .issuer_keys = verifier_parts_.issuer_keys,
                         .proved_tokens = verifier_parts_.proved_tokens,
                         .revocations = gateway_->revocations,
                         .grant_notes = verifier_parts_.grant_notes,
                         .store = verifier_parts_.store}),
      .servers = servers_,
      .tls = tls_.context,
      .socket_tls = contexts_of(socket_tls_),
      .approval_keys = approval_parts_.keys});
}

void Control::publish_policy() {
  policy_is_stale_ = false;
  tell_unknown_names();
  const SnapshotPtr snapshot = compile();
  for (const auto& worker : gateway_->workers) {
    worker->loop.post_answer([worker = worker.get(), snapshot] { worker->use(snapshot); });
  }
}

/// Says once of each rule or profile that it names nothing, and keeps the sentences for /readyz.
void Control::tell_unknown_names() {
  const std::vector<std::string> told = std::exchange(gateway_->unknown_names, {});
  std::vector<ConfigProblem> news;
  for (ConfigProblem& problem : find_unknown_names(config_, names_)) {
    if (gateway_->unknown_names.size() == kUnknownNamesShown) break;
    gateway_->unknown_names.push_back(problem.message);
    const bool is_told = std::ranges::find(told, problem.message) != told.end();
    if (!is_told) news.push_back(std::move(problem));
  }
  log_problems(news);
}

Task<void> Control::probe() {
  Worker& worker = *gateway_->workers.front();
  Signal pause(worker.loop);
  for (std::uint32_t round = 0; !gateway_->draining.load(); ++round) {
    std::vector<ServerDefinitionPtr> servers;
    // Now and then everyone is asked: a server may have learnt another era, or be gone.
    if (round % kProbeAllEvery == 0) {
      for (const auto& [name, server] : worker.snapshot->servers)
        servers.push_back(server);
    } else {
      servers = servers_down(*worker.directory, worker.snapshot->servers);
    }
    if (!servers.empty() || !worker.directory->probed) {
      co_await prober_->probe(std::move(servers));
    }
    co_await pause.wait(kProbeAgain);
  }
}

/// Asks servers that nobody has asked yet, on the worker that probes. What comes up shortly after
/// its definition, as servers do that are started with it, is not left for the next round.
Task<void> Control::probe_new(std::vector<ServerDefinitionPtr> servers) {
  Worker& worker = *gateway_->workers.front();
  Signal pause(loop_);
  for (auto wait = kAskAgain; !servers.empty() && !gateway_->draining.load(); wait *= 2) {
    co_await run_on(loop_, worker.loop, prober_->probe(servers));
    if (wait > kAskAgainMax) co_return;
    co_await pause.wait(wait);
    const auto down = co_await Visit(loop_, worker.loop, [&worker] {
      return servers_down(*worker.directory, worker.snapshot->servers);
    });
    std::erase_if(servers, [&down](const ServerDefinitionPtr& server) {
      return std::ranges::find(down, server) == down.end();
    });
  }
}

// --- Running ------------------------------------------------------------------------------------

void Control::note(RecordKind kind, std::string_view detail) {
  Record record{.kind = kind, .time = system_now()};
  record.principal = "gateway";
  record.policy = config_.digest;
  record.detail = detail;
  const Result<void> written = log_->append({encode_record(record)});
  if (!written.has_value()) log_->count_lost();
}

void Control::note_stop(std::string_view detail) {
  end_reload();
  note(RecordKind::stop, detail);
}

std::vector<EncodedRecord> Control::take_summaries(Clock::time_point now) {
  std::vector<EncodedRecord> records;
  for (const RefusalQuota::Summary& summary : refusals_.take_summaries(now)) {
    Record record{.kind = RecordKind::summary, .time = system_now()};
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

Task<void> Control::run_housekeeping(Worker& worker) {
  std::uint64_t seconds = 0;
  Signal pause(worker.loop);
  while (true) {
    co_await pause.wait(kHousekeeping);
    worker.expire_sessions();
    end_what_is_over(worker);
    if (++seconds % kMemoryLookEvery == 0) worker.memory_watch.look(worker);
    if (worker.loop.index() != 0) continue;
    write_summaries(steady_now());
    gateway_->tasks.expire(steady_now(), [&servers = worker.snapshot->servers](const auto& origin) {
      const auto found = servers.find(origin.server);
      return found != servers.end() && found->second->generation == origin.generation;
    });
    drop_ended_revocations(*gateway_);
    end_outdated_approvals(worker);
    remember_head();
    if (seconds % kHeadEvery == 0) {
      log(LogLevel::info, "record head", {{"head", log_->head().text()}});
    }
    if (seconds % kMemoryEvery == 0) give_back_memory();
  }
}

/// What large messages took is kept for the next ones, and given back when there were none for a
/// while.
void Control::give_back_memory() {
  const bool is_busy = memory_.take_recent_peak() > kLittleMemory;
  if (!is_busy && was_memory_busy_) give_back_large_blocks();
  was_memory_busy_ = is_busy;
}

Task<void> Control::watch_signals() {
  co_await signals_.async_wait(kAwait);
  const Clock::time_point first = steady_now();
  // A client that has left and then sends a signal waits for nothing more.
  skip_drain_ = is_stopping_;
  begin_drain();
  // Supervisors signal the process and its group, and so twice within a moment: one who wants no
  // more waiting comes later.
  do {
    co_await signals_.async_wait(kAwait);
  } while (steady_now() - first < kSameSignal);
  log(LogLevel::warning, "stopped at once", {{"calls", gateway_->calls_in_progress.load()}});
  note_stop("stopped at once by a second signal");
  if (streams_.has_value()) streams_->restore();
  // No destructor may wait for anything now; children die with their pipes and their parent.
  std::_Exit(1);
}

/// The first who asks for the end has it: a signal, or a client that has left.
void Control::begin_drain() {
  if (!std::exchange(is_stopping_, true)) spawn(loop_, drain());
}

bool Control::is_busy() const {
  return gateway_->calls_in_progress > 0 || (stdio_ != nullptr && stdio_->is_busy());
}

/// What is still in progress at the end of the drain gets no response from its server.
void Control::cut_off_calls() {
  exit_code_ = 1;
  calls_cut_off_ = gateway_->calls_in_progress;
  gateway_->is_cutting_calls = true;
  log(LogLevel::warning, "calls cut off",
      {{"calls", calls_cut_off_}, {"drain", format_duration(config_.process.drain)}});
}

Task<void> Control::drain() {
  log(LogLevel::info, "stopping", {{"calls", gateway_->calls_in_progress.load()}});
  gateway_->draining = true;
  if (gateway_->approvals != nullptr) gateway_->approvals->wake_all();
  tell_supervisor("STOPPING=1");
  if (acceptor_ != nullptr) {
    gateway_->workers.front()->loop.post_answer([acceptor = acceptor_] {
      error_code ignored;
      acceptor->close(ignored);
    });
  }
  gateway_->workers.front()->loop.post_answer([tcp = tcp_acceptors_, local = unix_acceptors_] {
    error_code ignored;
    for (const auto& acceptor : tcp)
      acceptor->close(ignored);
    for (const auto& acceptor : local)
      acceptor->close(ignored);
  });
  for (const auto& owned : gateway_->workers) {
    Worker& worker = *owned;
    worker.loop.post_answer([&worker, stdio = stdio_] {
      if (stdio != nullptr) stdio->drain();
      worker.sessions.for_each([](Session& session) {
        if (session.stream != nullptr) std::exchange(session.stream, nullptr)->finish({});
      });
      for (Connection* connection : worker.connections)
        connection->drain();
      for (WireClient* client : worker.wire_clients)
        client->drain();
    });
  }
  Signal pause(loop_);
  const Clock::time_point deadline = steady_now() + config_.process.drain;
  while (is_busy() && steady_now() < deadline && !skip_drain_)
    co_await pause.wait(limits::timer_tick);
  if (is_busy()) cut_off_calls();
  for (const auto& worker : gateway_->workers) {
    worker->loop.post_answer([worker = worker.get()] {
      worker->upstreams.stop();
      for (AgentClient* agent : worker->agent_clients)
        agent->drain();
    });
  }
  const Clock::time_point last = steady_now() + 3 * gateway_->stop_grace;
  while (gateway_->children > 0 && steady_now() < last)
    co_await pause.wait(limits::timer_tick);
  // One more turn, so that answers that are ready reach their sockets.
  co_await pause.wait(2 * limits::timer_tick);
  for (const auto& worker : gateway_->workers)
    worker->loop.stop();
  loop_.stop();
}

int Control::run() {
  note(RecordKind::start, "bartizan started");
  note_signing_key();
  Worker& prober = *gateway_->workers.front();
  if (prober.snapshot->policy->observes(seconds_now())) {
    log(LogLevel::warning, "policy only observes", {{"until", "the date at [policy] until"}});
  }
  if (stdio_ == nullptr) {
    gateway_->look_again = [this, &loop = prober.loop](const std::string& server) {
      loop.post_answer([this, server] { prober_->look_again(server); });
    };
    spawn(prober.loop, probe());
  } else {
    spawn(prober.loop, stdio_->run([this] { asio::post(loop_.io(), [this] { begin_drain(); }); }));
  }
  for (const auto& worker : gateway_->workers) {
    spawn(worker->loop, run_housekeeping(*worker));
    threads_.push_back(start_thread([worker = worker.get()] { worker->loop.run(); }));
  }
  spawn(loop_, watch_signals());
  spawn(loop_, watch_reload_signals());
  spawn(loop_, watch_files());
  spawn(loop_, webhook_.run());
  log_addresses();
  spawn(loop_, tell_ready());
  loop_.run();
  for (std::thread& thread : threads_)
    thread.join();
  gateway_->facts.close();
  // Also of addresses whose minute is not over: nobody counts them any further.
  write_summaries(steady_now() + std::chrono::minutes(1));
  note_stop(exit_code_ == 0 ? "stopped in order" : "calls were cut off");
  log_->end_spooling();
  end_exports();
  gateway_->capture.stop();
  close_state();
  log(exit_code_ == 0 ? LogLevel::info : LogLevel::warning, "stopped",
      {{"head", log_->head().text()}, {"calls_cut_off", calls_cut_off_}});
  if (streams_.has_value()) streams_->restore();
  const bool was_served = stdio_ == nullptr || stdio_->was_served();
  return was_served ? exit_code_ : 1;
}

void Control::log_addresses() {
  if (stdio_ != nullptr) {
    return log(LogLevel::info, "serving standard input",
               {{"principal", config_.auth.stdio_principal},
                {"record", config_.audit.file},
                {"head", log_->head().text()}});
  }
  const std::string scheme = tls_.context == nullptr ? "http://" : "https://";
  const auto place = [](const HostPort& address) {
    return address.host + ":" + std::to_string(address.port);
  };
  std::string paths = config_.listen.path;
  for (const auto& [name, endpoint] : config_.endpoints)
    paths += (paths.empty() ? "" : ", ") + endpoint.path;
  std::string transports = "Streamable HTTP";
  if (config_.listen.sse) transports += ", HTTP+SSE";
  if (config_.listen.web_socket) transports += ", WebSocket";
  log(LogLevel::info, "listening",
      {{"mcp", scheme + place(listening_) + config_.listen.path},
       {"paths", paths},
       {"transports", transports},
       {"metrics", "http://" + place(status_listening_) + "/metrics"},
       {"record", config_.audit.file},
       {"head", log_->head().text()}});
  if (config_.auth.mode == AuthConfig::Mode::none) {
    log(LogLevel::warning, "authentication is off",
        {{"principal", config_.auth.principal}, {"reachable_from", "this machine only"}});
  }
}

/// Tells clients what they may see otherwise once every worker shows it: a client may ask another
/// worker than the one that told it. Requests that come meanwhile are served by one more round.
void Control::tell_clients() {
  tell_again_ = true;
  if (!std::exchange(telling_, true)) spawn(loop_, tell_all_clients());
}

Task<void> Control::tell_all_clients() {
  while (std::exchange(tell_again_, false)) {
    // Behind whatever was sent to the workers before.
    co_await on_all_workers([](Worker&) {});
    gateway_->views.fetch_add(1);
    co_await on_all_workers([](Worker& worker) { spawn(worker.loop, tell_changed_lists(worker)); });
  }
  telling_ = false;
}

}  // namespace bartizan
