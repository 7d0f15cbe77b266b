#include "gateway/client/lazy_handshake.h"

#include <algorithm>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/server_events.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The local client uses no endpoint, which could hide servers.
const ShownServers kShowsAll = [](std::string_view) { return true; };

using Clock = std::chrono::steady_clock;

/// How long a server that did not answer is not asked again.
constexpr std::chrono::seconds kAskAgain{5};

}  // namespace

/// One round of questions, with the number in progress.
struct LazyHandshake::Asked {
  explicit Asked(Loop& loop) : news(loop) {}
  std::size_t left = 0;
  Signal news;  ///< A server has answered.
};

LazyHandshake::LazyHandshake(Worker& worker, std::string principal)
    : worker_(worker), principal_(std::move(principal)) {}

Task<void> LazyHandshake::ready(Era era) {
  const auto self = shared_from_this();
  const SnapshotPtr snapshot = worker_.snapshot;
  auto asked = std::make_shared<Asked>(worker_.loop);
  for (const auto& [name, server] : snapshot->config.servers) {
    if (!is_due(name, era)) continue;
    ++asked->left;
    spawn(worker_.loop, ask(server, era, asked));
  }
  // If some servers already speak the client's era, the client does not wait for the rest.
  const auto speaks = [era](const auto& entry) { return entry.second.in(era).has_value(); };
  if (std::ranges::any_of(worker_.directory->servers, speaks)) co_return;
  const Clock::time_point start = steady_now();
  while (asked->left > 0) {
    // One silent server must not delay the others until its deadline.
    const bool is_served = worker_.directory->answers(kShowsAll);
    const std::chrono::seconds patience =
        is_served ? limits::server_probe_deadline : limits::server_start_deadline;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(start + patience - steady_now());
    if (left.count() <= 0) co_return;
    co_await asked->news.wait(left);
  }
}

bool LazyHandshake::is_due(const std::string& server, Era era) {
  const ServerState* known = worker_.directory->find(server);
  if (known != nullptr && known->in(era).has_value()) return false;
  const auto [last, is_first] = asked_at_.try_emplace({server, era}, steady_now());
  if (is_first) return true;
  // A server's eras are asked for once; whether it is up is asked repeatedly.
  if (known != nullptr && known->is_up()) return false;
  if (steady_now() - last->second < kAskAgain) return false;
  last->second = steady_now();
  return true;
}

Task<void> LazyHandshake::ask(ServerConfig server, Era era, std::shared_ptr<Asked> asked) {
  const auto self = shared_from_this();
  const std::string name = server.name;
  const bool answered = co_await introduce(server, era);
  // A server of the other era serves the client through a bridge.
  const Era other = era == Era::modern ? Era::legacy : Era::modern;
  if (!answered && is_due(name, other)) co_await introduce(server, other);
  --asked->left;
  asked->news.notify();
}

Task<bool> LazyHandshake::introduce(const ServerConfig& server, Era era) {
  const auto present = worker_.snapshot->servers.find(server.name);
  if (present == worker_.snapshot->servers.end()) co_return false;  // Removed meanwhile.
  const ServerDefinitionPtr definition = present->second;
  InstanceKey key =
      worker_.upstreams.handle(definition, {.principal = principal_, .session = {}, .era = era})
          .key();
  // A session's own instance cannot be asked before the session exists, and this precedes it.
  const bool is_for_session = server.instances == ServerConfig::Instances::per_session;
  if (is_for_session) key.owner = std::string(kProbeOwner) + server.name;
  const std::string name = server.name;
  const std::shared_ptr<Upstream> upstream = worker_.upstreams.find_or_make(key, definition);
  if (upstream == nullptr) co_return false;
  Result<ServerHandshake> introduction = co_await upstream->introduction();
  const bool answered = introduction.has_value();
  publish(name, era, std::move(introduction));
  if (is_for_session) worker_.upstreams.stop_instance(key);
  co_return answered;
}

void LazyHandshake::publish(const std::string& server, Era era,
                            Result<ServerHandshake> introduction) {
  if (!worker_.snapshot->servers.contains(server)) return;  // Removed while it was asked.
  auto directory = std::make_shared<Directory>(*worker_.directory);
  ServerState& state = directory->servers[server];
  directory->probed = true;
  const bool is_modern = era == Era::modern;
  if (introduction.has_value()) {
    (is_modern ? state.modern : state.legacy) = std::move(*introduction);
    state.failure.clear();
    log(LogLevel::info, "server is up",
        {{"server", server}, {"eras", is_modern ? "modern" : "legacy"}});
  } else if (!state.is_up()) {
    state.failure = introduction.error().detail;
    log(is_modern ? LogLevel::info : LogLevel::warning, "server did not answer",
        {{"server", server}, {"era", is_modern ? "modern" : "legacy"}, {"detail", state.failure}});
  }
  worker_.show({worker_.snapshot, std::move(directory)});
  worker_.gateway.directory_changed();
}

}  // namespace bartizan
