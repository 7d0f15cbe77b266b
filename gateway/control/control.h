#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/config.h"
#include "config/load/load_config.h"
#include "gateway/approval/approval_webhook.h"
#include "gateway/client/clients.h"
#include "gateway/client/connection.h"
#include "gateway/client/wire_client.h"
#include "gateway/console/answer_console.h"
#include "gateway/control/probe.h"
#include "gateway/control/reload_plan.h"
#include "gateway/control/reviewer.h"
#include "gateway/export/exports.h"
#include "gateway/export/head_keeper.h"
#include "gateway/net/listener.h"
#include "gateway/process/descriptor.h"
#include "gateway/process/file_watch.h"
#include "gateway/process/standard_streams.h"
#include "gateway/status/status_server.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// Owns and connects all parts of `bartizan run`. The main thread runs the control loop: signals,
/// the metrics listener, the admin socket, the console, new policies. Each worker has a thread.
class Control {
 public:
  /// Over standard input and output there is one worker, and `[auth.stdio]` says who the client is.
  /// `config_file` is what is read again on request; empty where there is none. `fit` is
  /// given each configuration before it is used; it may be empty.
  explicit Control(const Launcher& launcher, Config config, Clients clients = Clients::over_http,
                   std::string config_file = {}, std::function<void(Config&)> fit = {});

  Result<void> open();
  int run();

 private:
  SnapshotPtr compile();
  Result<void> open_log();
  // What is sent of the record (control_exports.cc).
  struct ExportParts {
    Exports::Change change = {};
    std::unique_ptr<HeadKeeper> heads = {};
    bool keeps_heads = false;  ///< Those that are signed now go on.
    bool empty() const { return change.empty() && heads == nullptr; }
  };
  Result<void> open_exports();
  Result<ExportParts> prepare_exports(const Config& config) const;
  void apply_exports(ExportParts parts);
  void end_exports();
  Result<void> open_workers();
  Result<void> open_state();
  void open_front_doors();
  Result<void> open_capture();
  Result<void> check_addresses() const;
  bool has_metrics() const;
  Result<void> open_clients();
  Result<void> open_listeners();
  Result<void> open_stdio();
  Result<void> open_sockets();
  Result<void> open_socket(const SocketConfig& socket);
  void accept_on(const std::string& socket, Worker& worker, Descriptor descriptor,
                 std::string counted);
  Task<void> serve_socket(Worker& worker, std::unique_ptr<Stream> stream, std::string socket,
                          std::string counted);
  Result<void> open_metrics();
  Result<void> open_admin();
  Result<void> open_console();
  void start_threads();
  void accept(Worker& worker, TcpSocket socket);
  Task<void> serve_client(Worker& worker, std::unique_ptr<Stream> stream, std::string address);
  static Task<bool> begin_client(Worker& worker, Stream& stream);
  Task<void> serve_metrics(std::unique_ptr<Stream> stream);
  bool is_admitted(const RequestHead& head, const std::string& peer);
  Task<void> serve_admin(std::unique_ptr<Stream> stream);
  Task<void> serve_console(std::unique_ptr<Stream> stream);
  Task<void> probe();
  Task<void> watch_signals();
  Task<void> watch_reload_signals();
  bool follows_files() const;
  Task<void> watch_files();
  Task<void> run_housekeeping(Worker& worker);
  void give_back_memory();
  void begin_drain();
  Task<void> drain();
  void cut_off_calls();
  bool is_busy() const;
  void log_addresses();

  // What a supervisor is told (control_ready.cc).
  Task<void> tell_ready();
  void tell_reloading();
  void tell_reloaded();

  std::vector<EncodedRecord> take_summaries(std::chrono::steady_clock::time_point now);
  void write_summaries(std::chrono::steady_clock::time_point now);
  void learn(const std::string& server, ListKind kind, std::vector<std::string> names);
  void publish_policy();
  void tell_unknown_names();
  void compare_with_last_loaded();
  void note(RecordKind kind, std::string_view detail);
  void note_stop(std::string_view detail);

  // The state file (control_state.cc).
  Result<void> open_revocations();
  Result<void> open_approvals();
  Result<void> open_registrations();
  void end_outdated_approvals(Worker& worker);

  // Keys and the webhook of `[approvals]` (control_approvals.cc).
  struct ApprovalParts {
    ApprovalKeysPtr keys = {};
    WebhookTargetPtr webhook = {};
    bool operator==(const ApprovalParts&) const = default;
  };
  static Result<ApprovalParts> read_approval_parts(const Config& config,
                                                   const ApprovalParts& present);
  Result<void> open_approval_parts();
  void use_approval_parts();
  void note_certificates();
  std::optional<EncodedRecord> key_record(const ApprovalKeysPtr& wanted, std::string_view policy,
                                          const ApprovalKeysPtr& before) const;
  void note_signing_key();
  void compare_with_remembered(const AuditHead& remembered);
  bool note_mismatch();
  void remember_head();
  void remember_head_now();
  void close_state();

  // Reloading (control_reload.cc).
  struct Wanted;
  enum class ReloadCause : std::uint8_t { signal, file };
  void request_reload(ReloadCause cause, std::string_view why);
  Task<void> reload();
  Task<Reloaded<ReloadResult>> reload_once();
  LoadedConfig load();
  Task<Reloaded<LoadedConfig>> load_finished();
  bool watch(const LoadedConfig& loaded);
  Task<Reloaded<Wanted>> prepare(LoadedConfig loaded);
  void note_changed_certificates(Wanted& wanted) const;
  Task<Reloaded<void>> record_reload(const Wanted& wanted);
  Task<bool> is_synced();
  bool take_back();
  void end_reload();
  Task<void> keep_taking_back();
  Task<void> take_over(Wanted wanted);
  Task<void> on_all_workers(std::function<void(Worker&)> work);
  Task<void> probe_new(std::vector<ServerDefinitionPtr> servers);
  void tell_clients();
  Task<void> tell_all_clients();

  std::string config_file_;
  /// Changes each configuration as the command line says, before it is used; may be empty.
  std::function<void(Config&)> fit_;
  const Launcher& launcher_;
  Config config_;
  Clients clients_;
  /// With the ports that the kernel chose.
  HostPort listening_, status_listening_, console_listening_;
  ServerDefinitions servers_;
  std::uint64_t revision_ = 1;  ///< Counts the attempts to define servers.
  KnownNames names_;
  Random random_;
  HashSeed seed_;
  MemoryBudget memory_;
  SharedLimits limits_;
  SessionCounts sessions_;
  LivingPrincipals principals_;
  VerifierParts verifier_parts_;  ///< What stays over a reload.
  RefusalQuota refusals_;
  std::optional<KeyedDigest> digest_;
  std::unique_ptr<Exports> exports_;  ///< Before the log, whose thread asks them.
  std::optional<SharedLog> log_;
  std::optional<Gateway> gateway_;
  Loop loop_{0xffff};  ///< Of the main thread; no worker has that number.
  std::shared_ptr<const ScanDatabase> scan_database_;  ///< That of `config_`.
  ListenerTls tls_, console_tls_;
  SocketTls socket_tls_;
  std::vector<std::shared_ptr<TcpAcceptor>> tcp_acceptors_;    ///< Of sockets, on the first worker.
  std::vector<std::shared_ptr<UnixAcceptor>> unix_acceptors_;  ///< Of sockets, too.
  std::shared_ptr<TcpAcceptor> acceptor_;                      ///< Of the first worker, for all.
  std::optional<StandardStreams> streams_;
  std::shared_ptr<WireClient> stdio_;
  std::shared_ptr<TcpAcceptor> metrics_acceptor_;
  std::shared_ptr<UnixAcceptor> admin_acceptor_;
  std::unique_ptr<HeadKeeper> heads_;  ///< After the log, which it asks.
  std::optional<Console> console_;
  std::shared_ptr<TcpAcceptor> console_acceptor_;
  asio::basic_signal_set<Executor> signals_{loop_.executor(), SIGTERM, SIGINT};
  asio::basic_signal_set<Executor> reload_signals_{loop_.executor(), SIGHUP};
  FileWatch files_{loop_.executor()};
  Reviewer reviewer_;
  WatchPoints watched_;
  std::optional<Prober> prober_;
  std::vector<std::thread> threads_;
  std::string record_place_;  ///< The record's name in the state file; set before threads.
  /// The mismatch of record and state file, until it is recorded.
  std::string mismatch_expected_, mismatch_found_;
  /// The first worker's: when the record's head was last stored.
  std::chrono::steady_clock::time_point remembered_at_{};
  /// The number of the head that is remembered. Set by the thread of the state file, which may
  /// outlive this object.
  std::shared_ptr<std::atomic<std::uint64_t>> remembered_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  ApprovalParts approval_parts_;  ///< Those of `config_`.
  ApprovalWebhook webhook_{loop_};
  // The first worker's.
  std::chrono::steady_clock::time_point approvals_due_{};
  std::chrono::seconds approvals_pause_{0};
  bool is_ending_approvals_ = false;  ///< The first worker's, too.
  bool reloading_ = false;
  bool reload_again_ = false;
  bool telling_ = false;
  bool tell_again_ = false;
  ReloadCause reload_cause_ = ReloadCause::file;
  std::string syncing_;  ///< The digest of a recorded reload whose record may not be durable yet.
  std::string to_take_back_;  ///< The digest of a reload that may be on record and was not applied.
  bool policy_is_stale_ = false;
  bool is_stopping_ = false;
  bool skip_drain_ = false;
  bool was_memory_busy_ = false;
  int exit_code_ = 0;
  std::uint32_t calls_cut_off_ = 0;
  bool is_told_ready_ = false;  ///< The supervisor has had `READY=1`.
  StatusConnections metrics_connections_, admin_connections_, console_connections_;
};

}  // namespace bartizan
