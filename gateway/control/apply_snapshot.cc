#include "gateway/control/apply_snapshot.h"

#include <algorithm>
#include <vector>

#include "config/same_entry.h"
#include "gateway/client/agent_client.h"
#include "gateway/client/connection.h"
#include "gateway/client/wire_client.h"
#include "gateway/control/probe.h"
#include "gateway/control/resubscribe.h"
#include "gateway/runtime/clock.h"
#include "gateway/worker/report_unapproved_tools.h"
#include "gateway/worker/server_events.h"

namespace bartizan {
namespace {

/// Whether an instance is one principal's: not a session's, everybody's, or the prober's.
bool is_principals(const InstanceKey& key) {
  return !key.owner.empty() && !is_probe(key) && !session_home(key.owner).has_value();
}

void end_revoked_sessions(Worker& worker) {
  for (const std::string& ended :
       worker.sessions.end_revoked(worker.snapshot->authenticator, seconds_now())) {
    worker.end_owner(ended);
  }
}

/// Ends wires that would not be let in any more where they are: another endpoint, or a certificate
/// that is not taken.
Task<void> review_wires(Worker& worker) {
  // First: calls that the new configuration means for another agent must not reach this one.
  const std::vector<AgentClient*> agents(worker.agent_clients.begin(), worker.agent_clients.end());
  for (AgentClient* agent : agents) {
    if (worker.agent_clients.contains(agent)) agent->review();
  }
  const std::vector<WireClient*> wires(worker.wire_clients.begin(), worker.wire_clients.end());
  for (WireClient* client : wires) {
    if (!worker.wire_clients.contains(client)) continue;
    client->review();
    co_await yield_turn(worker.loop);
  }
}

/// Ends connections whose certificate the listener does not take any more, such as one that was
/// revoked: their streams would go on for hours. One at a time, since each costs signatures.
Task<void> review_certificates(Worker& worker) {
  const std::vector<Connection*> open(worker.connections.begin(), worker.connections.end());
  for (Connection* connection : open) {
    // Another one may lie there by now, which is none the worse for it.
    if (!worker.connections.contains(connection)) continue;
    connection->review_certificate();
    co_await yield_turn(worker.loop);
  }
}

constexpr auto kSameEntries = [](const auto& entries, const auto& others) {
  return std::ranges::equal(entries, others, [](const auto& one, const auto& other) {
    return one.first == other.first && is_same(one.second, other.second);
  });
};

/// Whether what is looked for in texts is the same.
bool looks_for_the_same(const Config& one, const Config& other) {
  return kSameEntries(one.redactions, other.redactions) &&
         kSameEntries(one.detectors, other.detectors) &&
         kSameEntries(one.sanitisings, other.sanitisings);
}

}  // namespace

Result<std::shared_ptr<const ScanDatabase>> renew_scan_database(
    const Config& before, const Config& after, std::shared_ptr<const ScanDatabase> present) {
  if (looks_for_the_same(before, after)) return present;
  return compile_scan_database(after);
}

void apply_snapshot(Worker& worker, const SnapshotChange& succession) {
  const ServerDefinitions& servers = succession.snapshot->servers;
  if (!looks_for_the_same(worker.snapshot->config, succession.snapshot->config))
    worker.catalogue.suspect_all();
  const bool has_other_tls = worker.snapshot->tls != succession.snapshot->tls ||
                             worker.snapshot->socket_tls != succession.snapshot->socket_tls;
  worker.show({succession.snapshot, without_removed(worker.directory, servers)});
  worker.upstreams.serve({.definitions = servers,
                          .revision = succession.revision,
                          .others_end = succession.others_end});
  worker.catalogue.keep_only(servers);
  worker.gateway.seen_tools.keep_only(servers);
  report_unapproved_tools(worker);
  for (const std::string& principal : succession.gone_principals)
    worker.catalogue.forget_owner(principal);
  end_revoked_sessions(worker);
  if (has_other_tls) spawn(worker.loop, review_certificates(worker));
  spawn(worker.loop, review_wires(worker));
  // After it: nothing is asked for again on behalf of whom this configuration ended.
  for (const std::string& server : succession.replaced) {
    if (servers.contains(server)) {
      spawn(worker.loop, resubscribe(worker, server, {}));
    } else {
      worker.sessions.forget_server(server);
    }
  }
}

void end_what_is_over(Worker& worker) {
  end_revoked_sessions(worker);
  worker.upstreams.sweep(steady_now());
  const Authenticator& authenticator = worker.snapshot->authenticator;
  worker.upstreams.stop_idle([&authenticator](const InstanceKey& key) {
    return is_principals(key) && !authenticator.knows(key.owner);
  });
}

}  // namespace bartizan
