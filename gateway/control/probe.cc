#include "gateway/control/probe.h"

#include <memory>
#include <utility>

#include "gateway/runtime/log.h"
#include "gateway/worker/server_events.h"
#include "schemas/base/limits.h"

namespace bartizan {

/// What one run found, and how many answers are still on their way.
struct Prober::Findings {
  explicit Findings(Loop& loop) : done(loop) {}
  struct Found {
    std::uint64_t generation = 0;
    ServerState state;
    int left = 2;  ///< Eras that it has not answered in.
  };
  std::map<std::string, Found> servers;
  std::size_t left = 0;
  bool is_over = false;  ///< Whoever has not answered by now had its time.
  Signal done;
};

namespace {

/// Between two looks at a server whose instances say otherwise than the prober.
constexpr std::chrono::seconds kLookAgain{3};

InstanceKey probe_key(const ServerDefinition& server, Era era) {
  return {.server = server.config.name,
          .owner = std::string(kProbeOwner),
          .era = era,
          .number = 0,
          .generation = server.generation};
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

}  // namespace

Task<void> Prober::probe_era(ServerDefinitionPtr server, Era era,
                             std::shared_ptr<Findings> findings) {
  const std::shared_ptr<Upstream> upstream =
      worker_.upstreams.find_or_make(probe_key(*server, era), server);
  if (upstream != nullptr) {
    Result<ServerHandshake> introduction = co_await upstream->introduction();
    Findings::Found& found = findings->servers[server->config.name];
    found.generation = server->generation;
    --found.left;
    if (!introduction.has_value()) {
      if (era == Era::legacy) found.state.failure = introduction.error().detail;
    } else if (era == Era::modern) {
      found.state.modern = std::move(*introduction);
    } else {
      found.state.legacy = std::move(*introduction);
    }
  }
  if (--findings->left == 0) findings->done.notify();
}

/// Adds what was found to every worker's directory, and has clients told. A definition that was
/// replaced meanwhile says nothing about its successor.
void Prober::publish(const Findings& findings) {
  auto directory = std::make_shared<Directory>(*worker_.directory);
  bool is_changed = !std::exchange(directory->probed, true);
  for (const auto& [name, found] : findings.servers) {
    const auto current = worker_.snapshot->servers.find(name);
    if (current == worker_.snapshot->servers.end()) continue;
    if (current->second->generation != found.generation) continue;
    const ServerState* known = directory->find(name);
    // Half an answer is news of a server that was down, and none of one that is up.
    const bool is_news = found.state.is_up() && (known == nullptr || !known->is_up());
    if (found.left > 0 && !findings.is_over && !is_news) continue;
    if (known == nullptr || known->is_up() != found.state.is_up()) tell(name, found.state);
    ServerState state = found.state;
    if (known != nullptr) state.remember(*known);
    is_changed |= known == nullptr || *known != state;
    directory->servers[name] = std::move(state);
  }
  if (!is_changed) return;
  for (const auto& other : worker_.gateway.workers) {
    other->loop.post_answer([other = other.get(), found = DirectoryPtr(directory)] {
      other->show({other->snapshot, without_removed(found, other->snapshot->servers)});
    });
  }
  worker_.gateway.directory_changed();
}

Task<void> Prober::probe(std::vector<ServerDefinitionPtr> servers) {
  std::erase_if(servers, [this](const ServerDefinitionPtr& server) {
    return !asked_.emplace(server->config.name, server->generation).second;
  });
  auto findings = std::make_shared<Findings>(worker_.loop);
  findings->left = 2 * servers.size();
  for (const ServerDefinitionPtr& server : servers) {
    spawn(worker_.loop, probe_era(server, Era::modern, findings));
    spawn(worker_.loop, probe_era(server, Era::legacy, findings));
  }
  if (findings->left > 0) co_await findings->done.wait(limits::server_probe_deadline);
  // One server that says nothing must not keep the others waiting for its deadline.
  if (findings->left > 0) publish(*findings);
  if (findings->left > 0) co_await findings->done.wait(limits::server_start_deadline);
  for (const ServerDefinitionPtr& server : servers) {
    worker_.upstreams.stop_instance(probe_key(*server, Era::modern));
    worker_.upstreams.stop_instance(probe_key(*server, Era::legacy));
    asked_.erase({server->config.name, server->generation});
  }
  findings->is_over = true;
  publish(*findings);
}

void Prober::look_again(const std::string& server) {
  const auto [found, is_new] = looks_.try_emplace(server, false);
  found->second = !is_new;
  if (is_new) spawn(worker_.loop, look(server));
}

Task<void> Prober::look(std::string server) {
  Signal pause(worker_.loop);
  bool goes_on = true;
  while (goes_on && !worker_.gateway.draining.load()) {
    looks_[server] = false;
    const auto found = worker_.snapshot->servers.find(server);
    if (found == worker_.snapshot->servers.end()) break;
    // A probe that goes on may have asked before the server changed.
    const bool is_asked = asked_.contains({server, found->second->generation});
    if (!is_asked) co_await probe({found->second});
    co_await pause.wait(kLookAgain);
    goes_on = is_asked || looks_[server];
  }
  looks_.erase(server);
}

std::vector<ServerDefinitionPtr> servers_down(const Directory& directory,
                                              const ServerDefinitions& servers) {
  std::vector<ServerDefinitionPtr> down;
  for (const auto& [name, server] : servers) {
    const ServerState* state = directory.find(name);
    if (state == nullptr || !state->is_up()) down.push_back(server);
  }
  return down;
}

DirectoryPtr without_removed(const DirectoryPtr& directory, const ServerDefinitions& servers) {
  auto kept = std::make_shared<Directory>(*directory);
  std::erase_if(kept->servers, [&](const auto& entry) { return !servers.contains(entry.first); });
  return kept;
}

}  // namespace bartizan
