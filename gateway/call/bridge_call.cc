#include "gateway/call/bridge_call.h"

#include <string>
#include <utility>

#include "gateway/bridge/bridged_listen.h"
#include "gateway/bridge/legacy_client_call.h"
#include "gateway/bridge/modern_client_call.h"
#include "gateway/call/call_steps.h"
#include "gateway/worker/followed.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// What a legacy client said once, as far as the server may know it.
std::string claimed_capabilities(const Session& session, const ServerConfig& server) {
  const DeclaredFeatures& has = session.client_features;
  const auto may_use = [&server](ClientFeature feature) {
    return allows(server.client_features, feature);
  };
  std::string capabilities;
  const auto add = [&capabilities](std::string_view member) {
    if (!capabilities.empty()) capabilities += ',';
    capabilities += member;
  };
  if (has.sampling && may_use(ClientFeature::sampling)) add(R"("sampling":{})");
  if (has.roots && may_use(ClientFeature::roots)) add(R"("roots":{})");
  if (may_use(ClientFeature::elicitation)) {
    const bool has_urls = has.elicitation_urls && !server.elicitation_urls.empty();
    std::string modes = has.elicitation ? R"("form":{})" : "";
    if (has_urls) modes += modes.empty() ? R"("url":{})" : R"(,"url":{})";
    if (!modes.empty()) add(R"("elicitation":{)" + modes + "}");
  }
  return "{" + capabilities + "}";
}

ModernClaim claim_of(const CallFrame& frame, std::string_view server) {
  const auto& servers = frame.snapshot().config.servers;
  const auto config = servers.find(server);
  ModernClaim claim;
  if (frame.session == nullptr || config == servers.end()) return claim;
  const Session& session = *frame.session;
  claim.capabilities = claimed_capabilities(session, config->second);
  if (!session.client_name.empty()) {
    claim.client_info = R"({"name":)" + json_string(session.client_name) + R"(,"version":)" +
                        json_string(session.client_version) + "}";
  }
  claim.log_level = session.log_level;
  return claim;
}

bool follows(const Worker& worker, const InstanceKey& key, const std::string& uri) {
  if (worker.bridged_listens.follows(key, uri)) return true;
  const auto sessions = worker.sessions.all();
  return std::ranges::any_of(sessions, [&](const auto& session) {
    return session->subscriptions.contains({key.server, uri});
  });
}

/// Whether any client, of whatever worker, follows the resource.
Task<bool> is_followed(Worker& worker, InstanceKey key, std::string uri) {
  for (const auto& other : worker.gateway.workers) {
    const bool found = co_await Visit(worker.loop, other->loop, [one = other.get(), &key, &uri] {
      return follows(*one, key, uri);
    });
    if (found) co_return true;
  }
  co_return false;
}

AdvertisedFeatures offered(const CallFrame& frame, const InstanceKey& key) {
  const ServerState* state = frame.worker.directory->find(key.server);
  const bool is_known = state != nullptr && state->in(key.era).has_value();
  return is_known ? offered_by(*state->in(key.era)) : AdvertisedFeatures();
}

}  // namespace

std::shared_ptr<BridgedCall> bridge_to(const CallFrame& frame, const UpstreamHandle& server) {
  if (server.key().era == frame.inbound.era) return nullptr;
  Worker& worker = frame.worker;
  const BridgeParts parts{worker.loop, worker.gateway.memory, worker.random,
                          worker.upstream_events};
  if (frame.inbound.era == Era::legacy) {
    const std::string session = frame.session == nullptr ? "" : frame.session->id;
    return std::make_shared<LegacyClientCall>(parts, server, session,
                                              claim_of(frame, server.key().server));
  }
  if (frame.method() == MethodId::subscriptions_listen) {
    return std::make_shared<BridgedListen>(
        parts, server, offered(frame, server.key()), worker.bridged_listens,
        [&worker](InstanceKey key, std::string uri) {
          return is_followed(worker, std::move(key), std::move(uri));
        });
  }
  const bool may_log = frame.policy().allows_feature(server.key().server, ClientFeature::logging);
  const std::string_view level =
      may_log ? frame.message().meta.find(meta_key::log_level).text() : std::string_view();
  return std::make_shared<ModernClientCall>(
      parts, server,
      ModernClientCall::Client{.principal = frame.principal().id,
                               .declared = frame_features(frame),
                               .log_level = std::string(level)},
      ModernClientCall::Shared{worker.gateway.parked_calls, worker.gateway.log_levels});
}

}  // namespace bartizan
