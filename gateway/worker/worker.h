#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/record.h"
#include "config/config.h"
#include "gateway/bridge/bridged_listen.h"
#include "gateway/bridge/parked_calls.h"
#include "gateway/catalogue/catalogue.h"
#include "gateway/catalogue/directory.h"
#include "gateway/catalogue/quarantine.h"
#include "gateway/catalogue/renamed_tools.h"
#include "gateway/catalogue/schema_cache.h"
#include "gateway/catalogue/seen_resources.h"
#include "gateway/catalogue/seen_tools.h"
#include "gateway/facts/fact_gatherer.h"
#include "gateway/identity/approval_keys.h"
#include "gateway/identity/authenticate.h"
#include "gateway/net/connection_counts.h"
#include "gateway/record/capture_log.h"
#include "gateway/record/recorder.h"
#include "gateway/record/refusal_quota.h"
#include "gateway/reply/resume_budget.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/memory_shares.h"
#include "gateway/runtime/random.h"
#include "gateway/runtime/slices.h"
#include "gateway/store/store.h"
#include "gateway/upstream/upstream_set.h"
#include "gateway/worker/circuits.h"
#include "gateway/worker/memory_watch.h"
#include "gateway/worker/open_tasks.h"
#include "gateway/worker/reload_status.h"
#include "gateway/worker/session.h"
#include "gateway/worker/shared_flows.h"
#include "gateway/worker/shared_limits.h"
#include "gateway/worker/token_vault.h"
#include "policy/check/compile_policy.h"
#include "policy/injection/injection_scanner.h"
#include "policy/redact/redactor.h"
#include "schemas/base/limits.h"

namespace bartizan {

/// One configuration with everything compiled from it. Immutable. A call keeps the snapshot that
/// judged it.
struct Snapshot {
  Config config;
  std::shared_ptr<const Policy> policy;
  Authenticator authenticator;
  ServerDefinitions servers = {};
  std::shared_ptr<asio::ssl::context> tls = {};  ///< For new connections; null without TLS.
  /// Of each `[socket.NAME]` with TLS.
  std::map<std::string, std::shared_ptr<asio::ssl::context>, std::less<>> socket_tls = {};
  ApprovalKeysPtr approval_keys = {};  ///< Of `[approvals]`.
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;
using DirectoryPtr = std::shared_ptr<const Directory>;

/// The state that decides what callers see: policy, names, and the servers that are up.
struct View {
  SnapshotPtr snapshot;
  DirectoryPtr directory;
};

class AgentClient;
class ApprovalDesk;
class Connection;
class GrantNotes;
class RevocationTable;
class SseClientWire;
class WireClient;
class SignIns;
class ToolRegistrations;
struct HeadCounts;
struct WebhookCounts;
class Exports;
struct Worker;

/// What all workers share. Wired by run.cc; everything in it may be used from any thread.
struct Gateway {
  MemoryBudget& memory;
  SharedLog& log;
  SharedLimits& limits;
  SessionCounts& sessions;
  const KeyedDigest& digest;
  RefusalQuota& refusals;
  const Launcher& launcher;
  /// The capture of whole calls, if the configuration has one. It gets calls when they end, with
  /// their workers at the latest.
  CaptureLog capture = {};
  std::atomic<bool> draining = false;
  /// Whether calls that are still in progress are ended, since the time for the stop is over.
  std::atomic<bool> is_cutting_calls = false;
  std::atomic<std::uint32_t> calls_in_progress = 0;
  std::atomic<std::uint32_t> children = 0;
  /// The time for child processes to end, at each step; set before there are workers.
  std::chrono::milliseconds stop_grace = limits::server_stop_grace;
  ConnectionCounts connections;
  Circuits circuits;
  SharedFlows flows;
  MemoryShares unread{memory};  ///< For responses that clients have not read yet.
  SchemaCache schemas{memory};  ///< The compiled schemas of all tools.
  SeenTools seen_tools{memory};
  SeenResources seen_resources{memory};
  /// Increases when callers may see something else: all workers have another configuration or
  /// directory. Subscriptions check it.
  std::atomic<std::uint64_t> views = 0;
  ReloadStatus reloads;  ///< The main thread's only.
  /// Rules, profiles and limits that name no tool or prompt, as sentences; the main thread's only.
  std::vector<std::string> unknown_names;
  /// Asks the control loop to compile the policy again with new names of a server's list.
  std::function<void(const std::string& server, ListKind, std::vector<std::string> names)> learned;
  /// Asks the control loop to notify clients of changed lists, once every worker has the new
  /// directory.
  std::function<void()> directory_changed;
  /// Repeats subscriptions and log levels at an instance that started anew, on every worker. `home`
  /// is the instance's worker.
  std::function<void(Worker& home, const InstanceKey&)> begun_anew;
  /// Asks the prober whether the server is up, since an instance found a change. Set before there
  /// is a client; empty without a prober.
  std::function<void(const std::string& server)> look_again;
  /// The scan database of the detectors; set before there are workers.
  std::shared_ptr<const ScanDatabase> scan_database;
  /// The key of the hashes that replace redacted values.
  HashSeed redaction_seed{};
  /// The mismatch of record and state file, as a sentence; empty if they agree. Set before there is
  /// a client.
  std::string state_mismatch;
  /// What operators revoked and blocked; set before there is a client.
  std::shared_ptr<RevocationTable> revocations = {};
  /// Ended grants of front doors; set before there is a client, null without `[state]`.
  std::shared_ptr<GrantNotes> grant_notes = {};
  /// The shared state of sign-ins at front doors; set before there is a client.
  std::shared_ptr<SignIns> sign_ins = {};
  /// Tools that clients registered; set before there is a client, null without `[state]`.
  std::shared_ptr<ToolRegistrations> registrations = {};
  /// The URL of the console, without a slash at its end; set before there is a client, empty for
  /// none.
  std::string console_url = {};
  /// Calls that wait for approval; set before there is a client, null without `[state]`.
  std::shared_ptr<ApprovalDesk> approvals = {};
  /// Results of webhook events; set before there is a client, null without `[state]`.
  std::shared_ptr<const WebhookCounts> webhook_counts = {};
  /// The exports of the record; the main thread's only, null for none.
  Exports* exports = nullptr;
  /// When the certificates of listeners expire, seconds since 1970 UTC, by the listener: `listen`,
  /// `console`, `socket.NAME`. The main thread's only.
  std::map<std::string, std::int64_t> certificate_expiry = {};
  /// Counts of signed heads; set before there is a client.
  std::shared_ptr<HeadCounts> head_counts = {};
  BridgedLogLevels log_levels;  ///< The levels that modern clients set at legacy servers.
  /// Seals `requestState` and ids of tasks; set before there is a client.
  std::string request_state_key;
  OpenTasks tasks;    ///< The tasks that servers gave clients.
  TokenVault tokens;  ///< The values of redaction tokens.
  /// After the other members, so that workers end before everything that their calls use.
  std::vector<std::unique_ptr<Worker>> workers;
  /// Agents of Fabricore that are connected. After the workers, whose loops their wires are of.
  AgentLinks agents;
  /// Calls of modern clients that wait at legacy servers. After the workers, since they end before
  /// the loops that they wait on.
  ParkedCalls parked_calls;
  /// The state file; null without `[state]`. Closed before the loops end.
  std::shared_ptr<Store> store = {};
  /// Look-ups on the disk and at name servers. Last, since it ends before the loops that its
  /// threads notify.
  FactGatherer facts;
};

/// One worker: a loop, and everything that only this loop uses.
struct Worker {
  Worker(Gateway& gateway, std::uint16_t index, SnapshotPtr snapshot);

  Gateway& gateway;
  ResumeBudget kept;  ///< The budget of events for clients that reconnect.
  ResumptionLimits resumptions;
  BridgedListens bridged_listens;  ///< Before the loop, whose frames they are of.
  Loop loop;
  Redactor redactor;
  InjectionScanner injections;
  Recorder recorder;
  Sessions sessions;
  UpstreamEvents upstream_events;
  UpstreamSet upstreams;
  Catalogue catalogue;
  RenamedTools renamed_tools;
  MemoryWatch memory_watch;
  QuarantineView quarantines;
  PinDifferences pin_differences;
  SnapshotPtr snapshot;
  DirectoryPtr directory;
  View last_announced_view;  ///< The view up to which sessions were notified.
  /// Names that two servers have, and one of these: each was logged. Bounded by `drop_collisions`.
  std::set<std::pair<std::string, std::string>> told_collisions;
  /// Servers whose lists did not arrive in time, and when. Bounded by the configured servers that
  /// this process ever had.
  std::map<std::string, std::chrono::steady_clock::time_point, std::less<>> late_since;
  /// The time of the last change of snapshot or directory: a later session has seen nothing else.
  std::chrono::steady_clock::time_point viewed_since;
  Random random;
  /// The texts of strangers in the last record, and in the last record without findings under the
  /// present configuration. One for outcomes, and one for other records.
  std::string record_text;
  /// Of each server, what it wrote to its standard error last, redacted and cut short: it may say
  /// why the server ended.
  std::map<std::string, std::string, std::less<>> last_lines;
  std::array<std::string, 2> harmless_texts;
  std::set<Connection*> connections;  ///< Open connections, to be drained.
  /// Event streams of 2024-11-05, by the key of their clients' posts.
  std::map<std::string, std::weak_ptr<SseClientWire>, std::less<>> sse_wires;
  std::set<AgentClient*> agent_clients;  ///< Agents that connected here, to be drained.
  std::set<WireClient*> wire_clients;  ///< Of WebSockets, sockets and event streams, to be drained.
  /// The slices of lists that are written for clients. Last, since it ends before the data that
  /// they use.
  Slices slices{loop};

  /// Puts this snapshot in force.
  void use(SnapshotPtr present);
  /// Publishes this directory to callers, without notifications (`view.h`).
  void show(View view);
  /// A decision id for now.
  DecisionId next_decision_id();
  /// A session has ended: ends its instances and drops its lists, on every worker.
  void end_owner(const std::string& owner);
  /// Ends expired sessions.
  void expire_sessions();
};

/// The era that the gateway uses with a server for clients of that era.
Era spoken_era(const Worker& worker, std::string_view server, Era clients);

/// Ends expired sessions on every worker, and waits for that.
Task<void> expire_everywhere(Loop& asking, Gateway& gateway);

}  // namespace bartizan
