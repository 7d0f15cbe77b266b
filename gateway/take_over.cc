#include "gateway/take_over.h"

#include "gateway/probe.h"
#include "gateway/server_events.h"

namespace bartizan {
namespace {

/// Whether an owner of instances is a principal: not a session, nobody, or the prober.
bool is_principal(const std::string& owner) {
  return !owner.empty() && !owner.starts_with(kProbeOwner) && !session_home(owner).has_value();
}

void end_revoked_sessions(Worker& worker) {
  const Snapshot& snapshot = *worker.snapshot;
  for (const std::string& ended :
       worker.sessions.end_revoked(snapshot.authenticator, *snapshot.policy, seconds_now())) {
    worker.end_owner(ended);
  }
}

}  // namespace

void take_over(Worker& worker, const Succession& succession) {
  worker.told = {worker.snapshot, worker.directory};
  worker.snapshot = succession.snapshot;
  const ServerDefinitions& servers = worker.snapshot->servers;
  worker.directory = without_removed(worker.directory, servers);
  worker.upstreams.serve({.definitions = servers,
                          .revision = succession.revision,
                          .others_end = succession.others_end});
  worker.catalogue.keep_only(servers);
  for (const std::string& server : succession.replaced)
    worker.sessions.forget_server(server);
  for (const std::string& principal : succession.gone_principals)
    worker.catalogue.forget_owner(principal);
  end_revoked_sessions(worker);
}

void end_what_is_over(Worker& worker) {
  end_revoked_sessions(worker);
  worker.upstreams.sweep(std::chrono::steady_clock::now());
  const Policy& policy = *worker.snapshot->policy;
  worker.upstreams.stop_idle([&policy](const InstanceKey& key) {
    return is_principal(key.owner) && policy.find_principal(key.owner) == nullptr;
  });
}

}  // namespace bartizan
