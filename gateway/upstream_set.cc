#include "gateway/upstream_set.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "config/load_config.h"
#include "gateway/http_upstream.h"
#include "gateway/stdio_upstream.h"

namespace bartizan {
namespace {

std::string instance_owner(const ServerConfig& server, const InstanceCaller& caller) {
  switch (server.instances) {
    case ServerConfig::Instances::per_principal:
      return std::string(caller.principal);
    case ServerConfig::Instances::per_session:
      // The modern era has no sessions; a principal is the nearest thing that keeps callers apart.
      return std::string(caller.session.empty() ? caller.principal : caller.session);
    case ServerConfig::Instances::fixed:
      return {};
  }
  return {};
}

/// Sessions that ended this long ago, counted in sessions, have no call on its way any more.
constexpr std::size_t kEndedOwnersKept = 4096;

std::size_t hash_of(const InstanceKey& key) {
  const std::size_t number = std::size_t{2} * key.number + static_cast<std::size_t>(key.era);
  return std::hash<std::string>()(key.server + '/' + key.owner) + number;
}

}  // namespace

// --- UpstreamHandle -----------------------------------------------------------------------------

void UpstreamHandle::call(OutboundRequest request, std::shared_ptr<PendingCall> pending) const {
  UpstreamSet* home = home_;
  const bool posted =
      home->loop().post([home, key = key_, request = std::move(request), pending]() mutable {
        const std::shared_ptr<Upstream> upstream = home->find_or_make(key);
        if (upstream != nullptr) return upstream->call(std::move(request), std::move(pending));
        pending->fail({ErrorCode::server_failed, Fault::server,
                       "the server takes no calls of an ended session"});
      });
  if (!posted) {
    pending->fail({ErrorCode::overloaded, Fault::gateway, "the server's worker is overloaded"});
  }
}

void UpstreamHandle::tell(Permit permit) const {
  UpstreamSet* home = home_;
  home->loop().post_answer([home, key = key_, permit = std::move(permit)]() mutable {
    if (const auto upstream = home->find(key)) upstream->tell(std::move(permit));
  });
}

void UpstreamHandle::cancel(std::shared_ptr<PendingCall> pending) const {
  UpstreamSet* home = home_;
  home->loop().post_answer([home, key = key_, pending = std::move(pending)] {
    if (const auto upstream = home->find(key)) upstream->cancel(pending);
  });
}

// --- UpstreamSet --------------------------------------------------------------------------------

UpstreamSet::UpstreamSet(Loop& loop, MemoryBudget& memory, UpstreamEvents events)
    : loop_(loop), memory_(memory), events_(std::move(events)) {}

UpstreamSet::~UpstreamSet() = default;

Result<void> UpstreamSet::add_server(const ServerConfig& config) {
  Server server{.config = config, .bearer = {}, .client = nullptr};
  if (config.bearer.kind != SecretReference::Kind::none) {
    Result<std::string> bearer = read_secret(config.bearer);
    if (!bearer.has_value()) return std::unexpected(bearer.error());
    server.bearer = std::move(*bearer);
  }
  if (!config.url.empty()) {
    Result<ServerUrl> url = parse_server_url(config.url);
    if (!url.has_value()) return std::unexpected(url.error());
    auto tls = make_client_tls(config.ca_file);
    if (!tls.has_value()) return std::unexpected(tls.error());
    server.client = std::make_unique<HttpClient>(loop_, std::move(*url), std::move(*tls));
  }
  servers_.emplace(config.name, std::move(server));
  return {};
}

UpstreamHandle UpstreamSet::handle(const ServerConfig& server, const InstanceCaller& caller) {
  InstanceKey key{.server = server.name,
                  .owner = instance_owner(server, caller),
                  .era = caller.era,
                  .number = 0};
  if (server.instances == ServerConfig::Instances::fixed) {
    // One caller keeps its instance, or what it asked of one would be unknown to the next.
    const std::string caller_id = std::string(caller.principal) + '/' + std::string(caller.session);
    key.number =
        static_cast<std::uint32_t>(std::hash<std::string>()(caller_id) % server.instance_count);
  }
  if (!server.url.empty()) return {*this, std::move(key)};
  UpstreamSet* home = peers_[hash_of(key) % peers_.size()];
  return {*home, std::move(key)};
}

std::shared_ptr<Upstream> UpstreamSet::find(const InstanceKey& key) const {
  const auto found = instances_.find(key);
  return found == instances_.end() ? nullptr : found->second;
}

std::shared_ptr<Upstream> UpstreamSet::find_or_make(const InstanceKey& key) {
  if (auto present = find(key)) return present;
  if (std::find(ended_owners_.begin(), ended_owners_.end(), key.owner) != ended_owners_.end()) {
    return nullptr;
  }
  const auto server = servers_.find(key.server);
  if (server == servers_.end() || stopping_) return nullptr;
  if (auto turned = turn_legacy(key)) return turned;
  std::shared_ptr<Upstream> upstream;
  const ServerConfig& config = server->second.config;
  if (config.url.empty()) {
    upstream = std::make_shared<StdioUpstream>(loop_, memory_, config, key, events_);
  } else {
    upstream = std::make_shared<HttpUpstream>(
        loop_, memory_, config, key, events_,
        HttpUpstreamSetup{.client = server->second.client.get(), .bearer = server->second.bearer});
  }
  instances_.emplace(key, upstream);
  return upstream;
}

/// The process that did not speak the modern era, under the key of the legacy one.
std::shared_ptr<Upstream> UpstreamSet::turn_legacy(const InstanceKey& key) {
  if (key.era != Era::legacy) return nullptr;
  InstanceKey modern = key;
  modern.era = Era::modern;
  const auto found = instances_.find(modern);
  if (found == instances_.end() || !found->second->turn_legacy()) return nullptr;
  auto node = instances_.extract(found);
  node.key() = key;
  return instances_.insert(std::move(node)).position->second;
}

void UpstreamSet::end_owner(std::string_view owner) {
  ended_owners_.emplace_back(owner);
  if (ended_owners_.size() > kEndedOwnersKept) ended_owners_.pop_front();
  stop_instances(owner);
}

void UpstreamSet::stop_instances(std::string_view owner) {
  std::erase_if(instances_, [&](const auto& entry) {
    if (entry.first.owner != owner) return false;
    entry.second->stop();
    return true;
  });
}

std::map<std::string, Upstream::Load, std::less<>> UpstreamSet::loads() const {
  std::map<std::string, Upstream::Load, std::less<>> loads;
  for (const auto& [name, server] : servers_)
    loads[name] = {};
  for (const auto& [key, upstream] : instances_) {
    Upstream::Load& sum = loads[key.server];
    sum.in_flight += upstream->load().in_flight;
    sum.waiting += upstream->load().waiting;
  }
  return loads;
}

void UpstreamSet::stop() {
  stopping_ = true;
  for (const auto& [key, upstream] : std::exchange(instances_, {}))
    upstream->stop();
}

}  // namespace bartizan
