// How everything that `bartizan run` holds is opened, and who is let in.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "gateway/call/call_frame.h"
#include "gateway/client/connection.h"
#include "gateway/console/serve_console.h"
#include "gateway/control/control.h"
#include "gateway/control/resubscribe.h"
#include "gateway/framing/pipe_wire.h"
#include "gateway/identity/check_source.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/identity/trusted_proxies.h"
#include "gateway/net/listener.h"
#include "gateway/net/peer_address.h"
#include "gateway/review/config_review.h"
#include "gateway/review/last_config.h"
#include "gateway/review/policy_widening.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/fd_limit.h"
#include "gateway/runtime/log.h"
#include "gateway/status/revocation_pages.h"
#include "gateway/status/status_pages.h"
#include "gateway/worker/redact_text.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Desktop clients wait two seconds after the end of the input before they use force, and two more
/// before they use more of it: a server that ignores both steps must be gone by then.
constexpr std::chrono::seconds kLocalStopGrace{1};

}  // namespace

Control::Control(const Launcher& launcher, Config config, Clients clients, std::string config_file,
                 std::function<void(Config&)> fit)
    : config_file_(std::move(config_file)),
      fit_(std::move(fit)),
      launcher_(launcher),
      config_(std::move(config)),
      clients_(clients),
      listening_(config_.listen.address),
      status_listening_(config_.metrics.address),
      memory_(config_.process.memory_max),
      reviewer_({.find_problems = review_config,
                 .find_machine_problems =
                     [&launcher](const Config& wanted) { return review_machine(wanted, launcher); },
                 .find_widening = review_widening,
                 .tell_widening = log_problems}) {
  if (fit_) fit_(config_);
  const auto seed = random_.draw<16>();
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed_[i / 8] |= static_cast<std::uint64_t>(seed[i]) << (8 * (i % 8));
  }
}

/// Tells of all that are taken, and of the keys that name them.
Result<void> Control::check_addresses() const {
  std::string taken;
  const auto check = [&taken](std::string_view key, const HostPort& address) {
    const Result<void> is_free = check_address_is_free(address);
    if (is_free.has_value()) return;
    if (!taken.empty()) taken += "; ";
    taken += std::string(key) + ": " + is_free.error().detail;
  };
  if (clients_ == Clients::over_http) check("[listen] address", config_.listen.address);
  if (has_metrics()) check("[metrics] address", config_.metrics.address);
  if (config_.console.has_value()) check("[console] address", config_.console->address);
  for (const auto& [name, socket] : config_.sockets) {
    // Over standard input they are not opened.
    if (clients_ == Clients::over_stdio) break;
    if (socket.address.has_value()) check("[socket." + name + "] address", *socket.address);
  }
  if (taken.empty()) return {};
  return fail(ErrorCode::io_failed, Fault::gateway, std::move(taken));
}

Result<void> Control::open() {
  const Result<void> checked = check_addresses();
  if (!checked.has_value()) return checked;
  for (const auto step : {&Control::open_log, &Control::open_approval_parts, &Control::open_workers,
                          &Control::open_exports, &Control::open_state, &Control::open_capture,
                          &Control::open_clients, &Control::open_sockets, &Control::open_metrics,
                          &Control::open_admin, &Control::open_console}) {
    const Result<void> opened = (this->*step)();
    if (!opened.has_value()) return opened;
  }
  if (!config_file_.empty()) compare_with_last_loaded();
  return {};
}

/// Keeps what is loaded now in the place of what was loaded last, and tells of the difference.
void Control::compare_with_last_loaded() {
  const auto last = read_last_loaded(config_.audit.file);
  keep_loaded(config_);
  if (!last.has_value()) {
    log(LogLevel::warning, "configuration",
        {{"detail", "not compared with what was loaded last: " + last.error().detail}});
  } else if (*last != nullptr) {
    reviewer_.compare(loop_, *last, config_);
  }
}

Result<void> Control::open_log() {
  SecretText key;
  if (config_.audit.digest_key.kind == SecretReference::Kind::none) {
    const auto random = random_.draw<32>();
    key = SecretText({reinterpret_cast<const char*>(random.data()), random.size()});
  } else {
    Result<SecretText> secret = read_secret(config_.audit.digest_key);
    if (!secret.has_value()) return std::unexpected(secret.error());
    key = std::move(*secret);
  }
  digest_.emplace(key.view());
  Result<AuditLog::Opened> opened = AuditLog::open(config_.audit.file);
  if (!opened.has_value()) return std::unexpected(opened.error());
  log_.emplace(std::move(opened->log), config_.audit);
  // At once: killed a moment later, nobody would know of it any more.
  if (!opened->repaired.empty()) {
    log(LogLevel::warning, "record repaired", {{"detail", opened->repaired}});
    note(RecordKind::repair, opened->repaired);
  }
  if (opened->spooled > 0) {
    log(LogLevel::info, "record completed",
        {{"detail", std::to_string(opened->spooled) + " records came from its spool"}});
  }
  if (!opened->unplaced.empty()) {
    log(LogLevel::warning, "spool put aside", {{"detail", opened->unplaced}});
    note(RecordKind::repair, opened->unplaced);
  }
  return {};
}

Result<void> Control::open_workers() {
  gateway_.emplace(memory_, *log_, limits_, sessions_, *digest_, refusals_, launcher_);
  if (clients_ == Clients::over_stdio) gateway_->stop_grace = kLocalStopGrace;
  gateway_->learned = [this](const std::string& server, ListKind kind,
                             std::vector<std::string> names) {
    loop_.post_answer([this, server, kind, names = std::move(names)]() mutable {
      learn(server, kind, std::move(names));
    });
  };
  gateway_->directory_changed = [this] { loop_.post_answer([this] { tell_clients(); }); };
  gateway_->begun_anew = [this](Worker& home, const InstanceKey& key) {
    for (const auto& worker : gateway_->workers) {
      worker->loop.post_answer([&worker = *worker, &home = home.upstreams, key] {
        spawn(worker.loop, resubscribe(worker, key.server, Begun{.home = &home, .key = key}));
      });
    }
  };
  const std::uint64_t descriptors = raise_open_files();
  const std::uint32_t connections_max = connections_for(descriptors);
  gateway_->connections.bound(connections_max);
  log(LogLevel::info, "room for clients",
      {{"connections", connections_max}, {"open_files", descriptors}});
  Result<ListenerTls> tls = renew_tls(config_.listen.tls, {});
  if (!tls.has_value()) return std::unexpected(tls.error());
  tls_ = std::move(*tls);
  Result<SocketTls> socket_tls = renew_socket_tls(config_.sockets, {});
  if (!socket_tls.has_value()) return std::unexpected(socket_tls.error());
  socket_tls_ = *std::move(socket_tls);
  note_certificates();
  Result<ServerDefinitions> servers = define_servers(config_, nullptr, revision_);
  if (!servers.has_value()) return std::unexpected(servers.error());
  servers_ = std::move(*servers);
  Result<std::shared_ptr<const ScanDatabase>> database = compile_scan_database(config_);
  if (!database.has_value()) return std::unexpected(database.error());
  scan_database_ = std::move(*database);
  gateway_->scan_database = scan_database_;
  gateway_->redaction_seed = seed_;
  const auto key = random_.draw<32>();
  gateway_->request_state_key.assign(key.begin(), key.end());
  const std::uint32_t count = config_.process.workers > 0
                                  ? config_.process.workers
                                  : std::max(1U, std::thread::hardware_concurrency());
  gateway_->revocations = std::make_shared<RevocationTable>(count);
  const SnapshotPtr snapshot = compile();
  std::vector<UpstreamSet*> sets;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto worker = std::make_unique<Worker>(*gateway_, static_cast<std::uint16_t>(i), snapshot);
    worker->upstreams.serve({.definitions = servers_, .revision = revision_, .others_end = {}});
    worker->kept.set_workers(count);
    sets.push_back(&worker->upstreams);
    gateway_->workers.push_back(std::move(worker));
  }
  for (const auto& worker : gateway_->workers)
    worker->upstreams.set_peers(sets);
  prober_.emplace(*gateway_->workers.front());
  gateway_->reloads.last_at = seconds_now();
  return {};
}

Result<void> Control::open_capture() {
  if (!config_.capture.has_value()) return {};
  auto file = CaptureFile::open(config_.capture->file);
  if (!file.has_value()) return std::unexpected(file.error());
  gateway_->capture.configure(config_.capture, *std::move(file));
  return {};
}

Result<void> Control::open_clients() {
  return clients_ == Clients::over_stdio ? open_stdio() : open_listeners();
}

/// The first worker accepts for all, each connection for the next of them.
Result<void> Control::open_listeners() {
  Loop& first = gateway_->workers.front()->loop;
  Result<TcpAcceptor> acceptor = listen_on(first, listening_);
  if (!acceptor.has_value()) return std::unexpected(acceptor.error());
  acceptor_ = std::make_shared<TcpAcceptor>(std::move(*acceptor));
  const auto home = [this, next = std::size_t{0}]() mutable -> Loop& {
    return gateway_->workers[next++ % gateway_->workers.size()]->loop;
  };
  spawn(first, accept_connections(first, acceptor_, home, [this](Loop& loop, TcpSocket socket) {
          accept(*gateway_->workers[loop.index()], std::move(socket));
        }));
  return {};
}

Result<void> Control::open_stdio() {
  Result<StandardStreams> streams = StandardStreams::take();
  if (!streams.has_value()) return std::unexpected(streams.error());
  streams_.emplace(std::move(*streams));
  Worker& worker = *gateway_->workers.front();
  error_code error;
  Pipe input(worker.loop.executor());
  Pipe output(worker.loop.executor());
  // The loop's objects close their own; the flags of these are put back at the end.
  Descriptor own_input = streams_->input.duplicate();
  Descriptor own_output = streams_->output.duplicate();
  input.assign(own_input.get(), error);
  if (!error) own_input.release();
  if (!error) output.assign(own_output.get(), error);
  if (!error) own_output.release();
  if (error) {
    return fail(ErrorCode::io_failed, Fault::client,
                "standard input or output cannot be used: " + error.message());
  }
  constexpr std::string_view kName = kind_of(Transport::stdio).name;
  auto wire = std::make_shared<PipeWire>(worker.loop, memory_, std::move(input), std::move(output),
                                         limits::request_bytes_max);
  stdio_ = std::make_shared<WireClient>(
      worker,
      WireTerms{.transport = Transport::stdio,
                .source = std::string(kName),
                .network = std::string(kName),
                .answers_only = config_.client.answers_only,
                .implies_handshake = config_.client.implies_handshake,
                .servers = std::make_shared<LazyHandshake>(worker, config_.auth.stdio_principal)},
      std::move(wire));
  return {};
}

/// Several gateways of local users run beside one another, so one of them listens only where it was
/// told to.
bool Control::has_metrics() const {
  return clients_ == Clients::over_http || config_.metrics.where.line > 0;
}

Result<void> Control::open_metrics() {
  if (!has_metrics()) return {};
  Result<TcpAcceptor> metrics = listen_on(loop_, status_listening_);
  if (!metrics.has_value()) return std::unexpected(metrics.error());
  metrics_acceptor_ = std::make_shared<TcpAcceptor>(std::move(*metrics));
  const auto home = [this]() -> Loop& { return loop_; };
  spawn(loop_, accept_connections(loop_, metrics_acceptor_, home, [this](Loop&, TcpSocket socket) {
          spawn(loop_, serve_metrics(std::make_unique<Stream>(std::move(socket), loop_)));
        }));
  return {};
}

Result<void> Control::open_admin() {
  if (!config_.admin.has_value()) return {};
  Result<UnixAcceptor> acceptor = listen_locally(loop_, config_.admin->socket);
  if (!acceptor.has_value()) return std::unexpected(acceptor.error());
  admin_acceptor_ = std::make_shared<UnixAcceptor>(std::move(*acceptor));
  spawn(loop_, accept_local(loop_, admin_acceptor_, [this](UnixSocket socket) {
          spawn(loop_, serve_admin(std::make_unique<Stream>(std::move(socket), loop_)));
        }));
  return {};
}

void Control::note_certificates() {
  std::map<std::string, std::int64_t> expiry;
  const auto note = [&expiry](const std::string& listener, const ListenerTls& tls) {
    if (tls.not_after != 0) expiry.emplace(listener, tls.not_after);
  };
  note("listen", tls_);
  note("console", console_tls_);
  for (const auto& [name, tls] : socket_tls_)
    note("socket." + name, tls);
  gateway_->certificate_expiry = std::move(expiry);
}

Result<void> Control::open_console() {
  if (!config_.console.has_value()) return {};
  Result<ListenerTls> tls = renew_tls(config_.console->tls, {});
  if (!tls.has_value()) return std::unexpected(tls.error());
  console_tls_ = std::move(*tls);
  note_certificates();
  console_listening_ = config_.console->address;
  Result<TcpAcceptor> acceptor = listen_on(loop_, console_listening_);
  if (!acceptor.has_value()) return std::unexpected(acceptor.error());
  const bool has_colon = console_listening_.host.contains(':');
  gateway_->console_url =
      fmt::format("{}://{}{}{}:{}", config_.console->tls ? "https" : "http", has_colon ? "[" : "",
                  console_listening_.host, has_colon ? "]" : "", console_listening_.port);
  use_approval_parts();
  console_acceptor_ = std::make_shared<TcpAcceptor>(std::move(*acceptor));
  console_.emplace(loop_, *gateway_);
  log(LogLevel::info, "console",
      {{"url", (console_tls_.context == nullptr ? "http://" : "https://") +
                   console_listening_.host + ":" + std::to_string(console_listening_.port)}});
  const auto home = [this]() -> Loop& { return loop_; };
  spawn(loop_, accept_connections(loop_, console_acceptor_, home, [this](Loop&, TcpSocket socket) {
          spawn(loop_, serve_console(std::make_unique<Stream>(std::move(socket), loop_)));
        }));
  return {};
}

// --- Connections --------------------------------------------------------------------------------

/// Counted here, on the loop that accepts: a worker that is busy does not gather connections that
/// nobody counts.
void Control::accept(Worker& worker, TcpSocket socket) {
  std::string address = peer_address_of(socket);
  if (!gateway_->connections.take(address)) {
    Worker& first = *gateway_->workers.front();
    Stream stream(std::move(socket), first.loop);
    note_refusal(first, {.source = stream.peer(), .network = stream.peer_address()},
                 {.status = 0, .reason = Reason::overloaded, .detail = "too many connections"});
    return stream.close();
  }
  worker.loop.post_answer(
      [this, &worker, socket = std::move(socket), address = std::move(address)]() mutable {
        auto stream = std::make_unique<Stream>(std::move(socket), worker.loop);
        spawn(worker.loop, serve_client(worker, std::move(stream), std::move(address)));
      });
}

/// What comes before the first request: the header of a proxy, and TLS. False where the connection
/// is not let in, which is recorded where it is refused.
Task<bool> Control::begin_client(Worker& worker, Stream& stream) {
  const auto timeout = worker.snapshot->config.session.authentication_timeout;
  const auto latest = steady_now() + timeout;
  const auto tls = worker.snapshot->tls;
  const auto refuse = [&worker, &stream](Reason reason, std::string detail) {
    note_refusal(worker, {.source = stream.peer(), .network = stream.peer_address()},
                 {.status = 0, .reason = reason, .detail = std::move(detail)});
    return false;
  };
  const ProxyConfig& proxies = worker.snapshot->config.listen.proxies;
  if (proxies.has_protocol_header) {
    if (!TrustedProxies(proxies.networks).hold(address_of(stream.peer()))) {
      co_return refuse(Reason::proxy_header_invalid, "the peer is not a trusted proxy");
    }
    const Result<void> read = co_await stream.accept_proxied(timeout);
    // Whoever looks whether the port is open sends nothing.
    if (!read.has_value() && read.error().code == ErrorCode::closed) co_return false;
    if (!read.has_value()) co_return refuse(Reason::proxy_header_invalid, read.error().detail);
  }
  if (tls == nullptr) co_return true;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(latest - steady_now());
  const Result<void> secured =
      co_await stream.accept_tls(*tls, std::max(left, std::chrono::milliseconds(1)));
  if (!secured.has_value() && secured.error().code == ErrorCode::credentials_bad) {
    co_return refuse(Reason::credentials_invalid, secured.error().detail);
  }
  co_return secured.has_value();
}

Task<void> Control::serve_client(Worker& worker, std::unique_ptr<Stream> stream,
                                 std::string address) {
  if (co_await begin_client(worker, *stream)) {
    Connection connection(worker, std::move(stream));
    worker.connections.insert(&connection);
    co_await connection.run();
    worker.connections.erase(&connection);
  }
  gateway_->connections.give_back(address);
}

Task<void> Control::serve_metrics(std::unique_ptr<Stream> stream) {
  const std::string peer = stream->peer_address();
  co_await serve_status(
      std::move(stream), metrics_connections_,
      {.pages = [this](std::string_view path) { return status_page(loop_, *gateway_, path); },
       .admits = [this, peer](const RequestHead& head) { return is_admitted(head, peer); }});
}

bool Control::is_admitted(const RequestHead& head, const std::string& peer) {
  const bool is_page = head.has(KnownHeader::origin);
  if (!is_page && is_status_host_allowed(config_.metrics, head.host())) return true;
  if (refusals_.admit_address(peer, steady_now())) {
    log(LogLevel::warning, "metrics refused",
        {{"source", peer},
         {"host", redact_line(*gateway_->workers.front(), {}, head.host())},
         {"detail",
          is_page ? "a page of a browser asked" : "the name is not in [metrics] allowed_hosts"}});
  }
  return false;
}

Task<void> Control::serve_admin(std::unique_ptr<Stream> stream) {
  const std::string own = "uid:" + std::to_string(geteuid());
  if (stream->peer() != own && stream->peer() != "uid:0") {
    log(LogLevel::warning, "admin refused", {{"peer", stream->peer()}});
    co_return stream->close();
  }
  const std::string peer = stream->peer();
  co_await serve_status(
      std::move(stream), admin_connections_,
      {.pages = [this](std::string_view path) { return admin_page(loop_, *gateway_, path); },
       .orders =
           [this, peer](std::string_view path) {
             return take_order(loop_, *gateway_, {.path = std::string(path), .peer = peer});
           }});
}

Task<void> Control::serve_console(std::unique_ptr<Stream> stream) {
  // A connection keeps the certificate that it began with.
  const std::shared_ptr<asio::ssl::context> tls = console_tls_.context;
  console_connections_.admit(*stream);
  const bool is_secured =
      tls == nullptr || (co_await stream->accept_tls(*tls, limits::head_deadline)).has_value();
  if (!is_secured) co_return console_connections_.leave(*stream);
  co_await bartizan::serve_console(std::move(stream), console_connections_, *console_);
}

}  // namespace bartizan
