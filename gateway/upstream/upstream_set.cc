#include "gateway/upstream/upstream_set.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "gateway/upstream/agent_wire.h"
#include "gateway/upstream/http_upstream.h"
#include "gateway/upstream/open_server_wire.h"
#include "gateway/upstream/stdio_upstream.h"
#include "gateway/upstream/wire_upstream.h"

namespace bartizan {
namespace {

std::string_view instance_owner(const ServerConfig& server, const InstanceCaller& caller) {
  switch (server.instances) {
    case ServerConfig::Instances::per_principal:
      return caller.principal;
    case ServerConfig::Instances::per_session:
      // The modern era has no sessions; a principal is the nearest thing that keeps callers apart.
      return caller.session.empty() ? caller.principal : caller.session;
    case ServerConfig::Instances::fixed:
      return {};
  }
  return {};
}

/// Which of a fixed number. One caller keeps its instance, or what it asked of one would be unknown
/// to the next.
std::uint32_t instance_number(const ServerConfig& server, const InstanceCaller& caller) {
  const bool is_fixed = server.instances == ServerConfig::Instances::fixed;
  if (!is_fixed || server.instance_count == 1) return 0;
  const std::string caller_id = std::string(caller.principal) + '/' + std::string(caller.session);
  return static_cast<std::uint32_t>(std::hash<std::string>()(caller_id) % server.instance_count);
}

/// Sessions that ended this long ago, counted in sessions, have no call on its way any more.
constexpr std::size_t kEndedOwnersKept = 4096;

std::size_t hash_of(const InstanceKey& key) {
  const std::size_t number = std::size_t{2} * key.number + static_cast<std::size_t>(key.era);
  return std::hash<std::string>()(key.server + '/' + key.owner) + number;
}

/// On the home worker of the instance.
void call_there(UpstreamSet& home, const InstanceKey& key,
                const std::shared_ptr<const ServerDefinition>& definition,
                OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
  const std::shared_ptr<Upstream> upstream = home.find_or_make(key, definition);
  if (upstream != nullptr) return upstream->call(std::move(request), std::move(pending));
  pending->fail(server_failed("the server takes no calls of an ended session or configuration"));
}

}  // namespace

// --- UpstreamHandle -----------------------------------------------------------------------------

const InstanceKey& UpstreamHandle::key() const {
  static const InstanceKey kNone;
  return instance_ == nullptr ? kNone : instance_->key;
}

void UpstreamHandle::call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) const {
  const auto& [home, key, definition] = *instance_;
  if (home->loop().is_current()) {
    return call_there(*home, key, definition, std::move(request), std::move(pending));
  }
  const bool posted = home->loop().post([there = instance_, request = std::move(request),
                                         pending]() mutable {
    call_there(*there->home, there->key, there->definition, std::move(request), std::move(pending));
  });
  if (!posted) {
    pending->fail({ErrorCode::overloaded, Fault::gateway, "the server's worker is overloaded"});
  }
}

bool UpstreamHandle::tell(Permit permit, std::uint64_t asked_in) const {
  return instance_->home->loop().post(
      [there = instance_, permit = std::move(permit), asked_in]() mutable {
        if (const auto upstream = there->home->find(there->key))
          upstream->tell(std::move(permit), asked_in);
      });
}

void UpstreamHandle::answer(Permit permit, std::uint64_t asked_in) const {
  instance_->home->loop().post_answer(
      [there = instance_, permit = std::move(permit), asked_in]() mutable {
        if (const auto upstream = there->home->find(there->key))
          upstream->tell(std::move(permit), asked_in);
      });
}

void UpstreamHandle::cancel(std::shared_ptr<PendingCall> pending) const {
  instance_->home->loop().post_answer([there = instance_, pending = std::move(pending)] {
    if (const auto upstream = there->home->find(there->key)) upstream->cancel(pending);
  });
}

void UpstreamHandle::hear() const {
  instance_->home->loop().post_answer([there = instance_] {
    static_cast<void>(there->home->find_or_make(there->key, there->definition));
    if (const auto ear = there->home->ear(there->key, *there->definition)) ear->begin();
  });
}

void UpstreamHandle::follow(ServerEar::Wish wish, std::shared_ptr<PendingCall> asker) const {
  instance_->home->loop().post_answer(
      [there = instance_, wish = std::move(wish), asker = std::move(asker)]() mutable {
        // The instance may be the first of its key.
        static_cast<void>(there->home->find_or_make(there->key, there->definition));
        if (const auto ear = there->home->ear(there->key, *there->definition)) {
          return ear->follow(std::move(wish), std::move(asker));
        }
        asker->fail(server_failed(there->definition->config.max_in_flight > 1
                                      ? "the server takes no calls of an ended configuration"
                                      : "max_in_flight = 1 leaves no place for a subscription"));
      });
}

// --- UpstreamSet --------------------------------------------------------------------------------

UpstreamSet::UpstreamSet(Loop& loop, MemoryBudget& memory, const Launcher& launcher,
                         UpstreamEvents events)
    : loop_(loop),
      memory_(memory),
      launcher_(launcher),
      events_(std::move(events)),
      executables_(loop) {}

UpstreamSet::~UpstreamSet() = default;

UpstreamSet::Server& UpstreamSet::add(const ServerDefinitionPtr& definition) {
  Server& server = servers_[{definition->config.name, definition->generation}];
  server.definition = definition;
  if (definition->config.protocol == ServerConfig::Protocol::streamable_http &&
      definition->url.has_value()) {
    server.client = std::make_shared<HttpClient>(loop_, *definition->url, definition->tls);
  }
  return server;
}

void UpstreamSet::serve(const Servers& servers) {
  revision_ = servers.revision;
  for (auto& [key, server] : servers_) {
    const auto present = servers.definitions.find(key.first);
    const bool is_current =
        present != servers.definitions.end() && present->second->generation == key.second;
    if (!is_current && !server.ends.has_value()) server.ends = servers.others_end;
  }
  handles_.clear();
  pooled_handles_.clear();
  for (const auto& [name, definition] : servers.definitions) {
    if (!servers_.contains({name, definition->generation})) add(definition);
  }
}

void UpstreamSet::sweep(Clock::time_point now) {
  std::erase_if(servers_, [&](const auto& entry) {
    const auto& [key, server] = entry;
    if (!server.ends.has_value()) return false;
    if (!server.definition.expired() && now < *server.ends) return false;
    stop_where([&ended = entry.first](const InstanceKey& instance, const Upstream&) {
      return instance.server == ended.first && instance.generation == ended.second;
    });
    return true;
  });
}

UpstreamHandle UpstreamSet::handle(const ServerDefinitionPtr& definition,
                                   const InstanceCaller& caller) {
  const ServerConfig& server = definition->config;
  const std::string_view owner = instance_owner(server, caller);
  const std::uint32_t number = instance_number(server, caller);
  const bool is_pooled = caller.is_modern && caller.era == Era::legacy && !server.url.empty();
  auto& handles = is_pooled ? pooled_handles_ : handles_;
  const auto found =
      handles.find(KeyView(owner, server.name, caller.era, number, definition->generation));
  if (found != handles.end()) return found->second;
  const InstanceKey key{.server = server.name,
                        .owner = std::string(owner),
                        .era = caller.era,
                        .number = number,
                        .generation = definition->generation};
  const bool has_one_home = is_pooled || server.url.empty();
  UpstreamSet* home = has_one_home ? peers_[hash_of(key) % peers_.size()] : this;
  UpstreamHandle made(*home, key, definition);
  const auto served = servers_.find({server.name, definition->generation});
  const bool is_current = served != servers_.end() && !served->second.ends.has_value();
  if (is_current && !has_ended(owner)) handles.emplace(key, made);
  return made;
}

bool UpstreamSet::has_ended(std::string_view owner) const {
  return std::ranges::find(ended_owners_, owner) != ended_owners_.end();
}

std::shared_ptr<Upstream> UpstreamSet::find(const InstanceKey& key) const {
  const auto found = instances_.find(key);
  return found == instances_.end() ? nullptr : found->second;
}

std::shared_ptr<ServerEar> UpstreamSet::ear(const InstanceKey& key,
                                            const ServerDefinition& definition) {
  // A server that takes one call at a time would take none beside the subscription.
  const bool has_place = definition.config.max_in_flight > 1;
  if (!has_place || key.era != Era::modern || find(key) == nullptr) return nullptr;
  const auto [found, is_new] = ears_.try_emplace(key);
  if (is_new) {
    found->second = std::make_shared<ServerEar>(loop_, memory_, key, events_,
                                                [this, key] { return find(key); });
  }
  return found->second;
}

std::shared_ptr<Upstream> UpstreamSet::find_or_make(const InstanceKey& key,
                                                    const ServerDefinitionPtr& definition) {
  if (auto present = find(key)) return present;
  if (stopping_ || has_ended(key.owner)) return nullptr;
  auto server = servers_.find({key.server, key.generation});
  if (server == servers_.end()) {
    // Other workers may have a newer revision, which this one learns of soon. An older definition
    // was swept, and does not return.
    if (key.generation <= revision_) return nullptr;
    add(definition);
    server = servers_.find({key.server, key.generation});
  }
  if (auto turned = downgrade_to_legacy(key)) return turned;
  std::shared_ptr<Upstream> upstream;
  if (definition->config.agent.has_value()) {
    upstream = std::make_shared<WireUpstream>(
        loop_, memory_, definition->config, key, events_,
        [this, definition] { return open_agent_wire(loop_, agents_, definition); }, random_);
  } else if (!definition->config.url.empty() && server->second.client == nullptr) {
    upstream = std::make_shared<WireUpstream>(
        loop_, memory_, definition->config, key, events_,
        [this, definition] {
          return open_server_wire(loop_, memory_, random_, definition,
                                  limits::server_start_deadline);
        },
        random_);
  } else if (server->second.client == nullptr) {
    upstream = std::make_shared<StdioUpstream>(
        loop_, memory_, definition->config, key, events_,
        StdioUpstreamSetup{.launcher = launcher_, .executables = executables_});
  } else {
    upstream = std::make_shared<HttpUpstream>(
        loop_, memory_, definition->config, key, events_,
        HttpUpstreamSetup{.client = server->second.client, .headers = definition->headers});
  }
  instances_.emplace(key, upstream);
  return upstream;
}

/// The process that did not speak the modern era, under the key of the legacy one.
std::shared_ptr<Upstream> UpstreamSet::downgrade_to_legacy(const InstanceKey& key) {
  if (key.era != Era::legacy) return nullptr;
  InstanceKey modern = key;
  modern.era = Era::modern;
  const auto found = instances_.find(modern);
  if (found == instances_.end() || !found->second->downgrade_to_legacy()) return nullptr;
  auto node = instances_.extract(found);
  node.key() = key;
  return instances_.insert(std::move(node)).position->second;
}

void UpstreamSet::end_owner(std::string_view owner) {
  for (auto* handles : {&handles_, &pooled_handles_})
    std::erase_if(*handles, [owner](const auto& entry) { return entry.first.owner == owner; });
  ended_owners_.emplace_back(owner);
  if (ended_owners_.size() > kEndedOwnersKept) ended_owners_.pop_front();
  stop_where([owner](const InstanceKey& key, const Upstream&) { return key.owner == owner; });
  for (const auto& [key, ear] : ears_)
    ear->forget(std::string(owner));
}

void UpstreamSet::stop_instance(const InstanceKey& key) {
  stop_where([&key](const InstanceKey& instance, const Upstream&) { return instance == key; });
}

void UpstreamSet::stop_idle(const std::function<bool(const InstanceKey&)>& fits) {
  stop_where([this, &fits](const InstanceKey& key, const Upstream& upstream) {
    const auto ear = ears_.find(key);
    const std::size_t own = ear != ears_.end() && ear->second->is_listening() ? 1 : 0;
    return upstream.load().in_flight + upstream.load().waiting <= own && fits(key);
  });
}

void UpstreamSet::stop_where(const std::function<bool(const InstanceKey&, const Upstream&)>& fits) {
  std::vector<std::shared_ptr<Upstream>> stopped;
  std::erase_if(instances_, [&](const auto& entry) {
    if (!fits(entry.first, *entry.second)) return false;
    stopped.push_back(entry.second);
    if (const auto ear = ears_.extract(entry.first)) ear.mapped()->stop();
    return true;
  });
  // Only now: what an instance reports while it stops may look for others.
  for (const auto& upstream : stopped)
    upstream->stop();
}

std::map<std::string, Upstream::Load, std::less<>> UpstreamSet::loads() const {
  std::map<std::string, Upstream::Load, std::less<>> loads;
  for (const auto& [key, server] : servers_)
    loads[key.first] = {};
  for (const auto& [key, upstream] : instances_) {
    Upstream::Load& sum = loads[key.server];
    sum.in_flight += upstream->load().in_flight;
    sum.waiting += upstream->load().waiting;
  }
  return loads;
}

std::vector<std::pair<InstanceKey, pid_t>> UpstreamSet::processes() const {
  std::vector<std::pair<InstanceKey, pid_t>> processes;
  for (const auto& [key, upstream] : instances_) {
    if (const auto process = upstream->process()) processes.emplace_back(key, *process);
  }
  return processes;
}

void UpstreamSet::stop() {
  stopping_ = true;
  for (const auto& [key, ear] : std::exchange(ears_, {}))
    ear->stop();
  for (const auto& [key, upstream] : std::exchange(instances_, {}))
    upstream->stop();
}

}  // namespace bartizan
