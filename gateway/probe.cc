#include "gateway/probe.h"

#include <memory>
#include <utility>

#include "gateway/log.h"
#include "gateway/server_events.h"
#include "schemas/limits.h"

namespace bartizan {
namespace {

/// What the probes of one run find, and how many are still on their way.
struct Findings {
  explicit Findings(Loop& loop) : done(loop.executor(), loop.wheel()) {}
  std::map<std::string, ServerState, std::less<>> servers;
  std::size_t left = 0;
  Signal done;
};

Task<void> probe_era(Worker& worker, std::string server, Era era,
                     std::shared_ptr<Findings> findings) {
  const InstanceKey key{.server = server, .owner = std::string(kProbeOwner), .era = era};
  const std::shared_ptr<Upstream> upstream = worker.upstreams.find_or_make(key);
  if (upstream != nullptr) {
    Result<ServerIntroduction> introduction = co_await upstream->introduction();
    ServerState& state = findings->servers[server];
    if (!introduction.has_value()) {
      if (era == Era::legacy) state.failure = introduction.error().detail;
    } else if (era == Era::modern) {
      state.modern = std::move(*introduction);
    } else {
      state.legacy = std::move(*introduction);
    }
  }
  if (--findings->left == 0) findings->done.notify();
}

void tell(const std::string& server, const ServerState& state) {
  if (!state.is_up()) {
    return log(LogLevel::warning, "server is down",
               {{"server", server}, {"detail", state.failure}});
  }
  std::string eras = state.modern.has_value() ? "modern" : "";
  if (state.legacy.has_value()) eras += eras.empty() ? "legacy" : " and legacy";
  log(LogLevel::info, "server is up", {{"server", server}, {"eras", eras}});
}

/// `before` with what was found until now.
DirectoryPtr merge(const Directory& before, const Findings& findings) {
  auto directory = std::make_shared<Directory>(before);
  directory->probed = true;
  for (const auto& [server, state] : findings.servers)
    directory->servers[server] = state;
  return directory;
}

}  // namespace

Task<DirectoryPtr> probe_servers(Worker& worker, std::vector<std::string> servers,
                                 DirectoryPtr before, std::function<void(DirectoryPtr)> publish) {
  auto findings = std::make_shared<Findings>(worker.loop);
  findings->left = 2 * servers.size();
  for (const std::string& server : servers) {
    spawn(worker.loop, probe_era(worker, server, Era::modern, findings));
    spawn(worker.loop, probe_era(worker, server, Era::legacy, findings));
  }
  if (findings->left > 0) co_await findings->done.wait(limits::server_probe_deadline);
  // One server that says nothing must not keep the others waiting for its deadline.
  if (findings->left > 0) publish(merge(*before, *findings));
  if (findings->left > 0) co_await findings->done.wait(limits::server_start_deadline);
  worker.upstreams.stop_instances(kProbeOwner);
  for (const auto& [server, state] : findings->servers) {
    const ServerState* known = before->find(server);
    if (known == nullptr || known->is_up() != state.is_up()) tell(server, state);
  }
  co_return merge(*before, *findings);
}

std::vector<std::string> servers_down(const Directory& directory) {
  std::vector<std::string> down;
  for (const auto& [server, state] : directory.servers) {
    if (!state.is_up()) down.push_back(server);
  }
  return down;
}

}  // namespace bartizan
