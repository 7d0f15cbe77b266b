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

/// One configuration with all that was compiled from it. Immutable; a call keeps the one that
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

/// What decides what callers see: policy and names, and which servers are there.
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
  /// Of whole calls, where the configuration wants one. Calls are handed to it when they end, with
  /// their workers at the latest.
  CaptureLog capture = {};
  std::atomic<bool> draining = false;
  std::atomic<std::uint32_t> calls_in_progress = 0;
  std::atomic<std::uint32_t> children = 0;
  /// How long children have to end at each step; set before there are workers.
  std::chrono::milliseconds stop_grace = limits::server_stop_grace;
  ConnectionCounts connections;
  Circuits circuits;
  SharedFlows flows;
  MemoryShares unread{memory};  ///< Of answers that clients have not taken in yet.
  SchemaCache schemas{memory};  ///< Of all tools, compiled.
  SeenTools seen_tools{memory};
  SeenResources seen_resources{memory};
  /// Goes up whenever callers may see other things than before: all workers have another
  /// configuration, or another directory. Subscriptions look at it.
  std::atomic<std::uint64_t> views = 0;
  ReloadStatus reloads;  ///< The main thread's only.
  /// Rules, profiles and limits that name no tool or prompt, as sentences; the main thread's only.
  std::vector<std::string> unknown_names;
  /// Asks the control loop to compile the policy again with names that a server was found to have.
  std::function<void(const std::string& server, ListKind, std::vector<std::string> names)> learned;
  /// Asks the control loop to tell clients what they may see otherwise, once every worker has the
  /// directory that was just sent to it.
  std::function<void()> directory_changed;
  /// Repeats what clients had asked of an instance that began anew, on every worker. `home` is the
  /// instance's.
  std::function<void(Worker& home, const InstanceKey&)> begun_anew;
  /// Asks whether the server is up, since an instance of it found out otherwise. Set before there
  /// is a client; empty where nobody probes.
  std::function<void(const std::string& server)> look_again;
  /// What detectors look for; set before there are workers.
  std::shared_ptr<const ScanDatabase> scan_database;
  /// Keys the hashes that stand in the place of what is redacted.
  HashSeed redaction_seed{};
  /// What the record is not that the state file remembers of it, as a sentence; empty where both
  /// agree. Set before there is a client.
  std::string state_mismatch;
  /// What operators revoked and blocked; set before there is a client.
  std::shared_ptr<RevocationTable> revocations = {};
  /// What became of grants of front doors; set before there is a client, null without `[state]`.
  std::shared_ptr<GrantNotes> grant_notes = {};
  /// What sign-ins at front doors share; set before there is a client.
  std::shared_ptr<SignIns> sign_ins = {};
  /// Tools that clients registered; set before there is a client, null without `[state]`.
  std::shared_ptr<ToolRegistrations> registrations = {};
  /// Where the console is, without a slash at its end; set before there is a client, empty for
  /// none.
  std::string console_url = {};
  /// Calls that wait for people; set before there is a client, null without `[state]`.
  std::shared_ptr<ApprovalDesk> approvals = {};
  /// What became of events for the webhook; set before there is a client, null without `[state]`.
  std::shared_ptr<const WebhookCounts> webhook_counts = {};
  /// Where the record is sent beside its file; the main thread's only, null for nowhere.
  Exports* exports = nullptr;
  /// When the certificates of listeners expire, seconds since 1970 UTC, by the listener: `listen`,
  /// `console`, `socket.NAME`. The main thread's only.
  std::map<std::string, std::int64_t> certificate_expiry = {};
  /// What became of signed heads; set before there is a client.
  std::shared_ptr<HeadCounts> head_counts = {};
  BridgedLogLevels log_levels;  ///< That modern clients asked legacy servers for.
  /// Seals `requestState` and ids of tasks; set before there is a client.
  std::string request_state_key;
  OpenTasks tasks;    ///< That servers gave clients.
  TokenVault tokens;  ///< What comes back to servers when its token does.
  /// After the others, so that they end before all that their calls use.
  std::vector<std::unique_ptr<Worker>> workers;
  /// Agents of Fabricore that are connected. After the workers, whose loops their wires are of.
  AgentLinks agents;
  /// Calls of modern clients that wait at legacy servers. After the workers, since they end before
  /// the loops that they wait on.
  ParkedCalls parked_calls;
  /// What outlives the process beside the record; null without `[state]`. Is closed before the
  /// loops end.
  std::shared_ptr<Store> store = {};
  /// What calls make policy ask of the disk and of name servers. Last, since it ends before the
  /// loops that its threads tell.
  FactGatherer facts;
};

/// One worker: a loop, and everything that is touched on it alone.
struct Worker {
  Worker(Gateway& gateway, std::uint16_t index, SnapshotPtr snapshot);

  Gateway& gateway;
  ResumeBudget kept;  ///< What may be kept for clients that come back.
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
  View last_announced_view;  ///< What sessions were last told of changes up to.
  /// Names that two servers have, and one of these: each was logged. Bounded by `drop_collisions`.
  std::set<std::pair<std::string, std::string>> told_collisions;
  /// Servers whose lists were waited for in vain, and when. Bounded by the configured servers that
  /// this process ever had.
  std::map<std::string, std::chrono::steady_clock::time_point, std::less<>> late_since;
  /// Since when snapshot and directory are what they are: a later session has seen nothing else.
  std::chrono::steady_clock::time_point viewed_since;
  Random random;
  /// What others than the operator worded of the last record, and of the last one in which the
  /// present configuration found nothing: an outcome, and any other.
  std::string record_text;
  std::array<std::string, 2> harmless_texts;
  std::set<Connection*> connections;  ///< That are open, to be drained.
  /// Event streams of 2024-11-05, by the key that their clients post with.
  std::map<std::string, std::weak_ptr<SseClientWire>, std::less<>> sse_wires;
  std::set<AgentClient*> agent_clients;  ///< Of agents that came in here, to be drained.
  std::set<WireClient*> wire_clients;  ///< Of WebSockets, sockets and event streams, to be drained.
  /// Of lists that are written for clients. Last, since it ends before what those look into.
  Slices slices{loop};

  /// From now on this is in force.
  void use(SnapshotPtr present);
  /// From now on callers see this. Whether they are told is another matter (`view.h`).
  void show(View view);
  /// A decision id for now.
  DecisionId next_decision_id();
  /// A session has ended: so have its instances and its lists, on every worker.
  void end_owner(const std::string& owner);
  /// Ends the sessions whose time is over.
  void expire_sessions();
};

/// The era in which a server is spoken to for clients of that one.
Era spoken_era(const Worker& worker, std::string_view server, Era clients);

/// Has every worker end the sessions whose time is over, and waits for that.
Task<void> expire_everywhere(Loop& asking, Gateway& gateway);

}  // namespace bartizan
