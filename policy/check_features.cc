#include "policy/check_features.h"

#include <algorithm>

namespace bartizan {

std::optional<ClientFeature> needed_feature(MethodId method) {
  switch (method) {
    case MethodId::sampling_create_message:
      return ClientFeature::sampling;
    case MethodId::elicitation_create:
      return ClientFeature::elicitation;
    case MethodId::roots_list:
      return ClientFeature::roots;
    default:
      return std::nullopt;
  }
}

namespace {

/// Notifications are held to their direction only: a server that is newer than the session may send
/// one that the session's revision lacks, and clients ignore those.
bool is_known_here(const Call& call) {
  const Method& method = *call.message.known;
  if (call.message.is_request()) {
    return !method.is_notification && is_spoken(method, call.version, call.direction);
  }
  const bool is_sent_here =
      call.direction == Direction::client_to_server ? method.from_client : method.from_server;
  return method.id != MethodId::unknown && method.is_notification && is_sent_here;
}

bool is_granted(const std::map<std::string, ServerConfig, std::less<>>& servers, const Call& call) {
  const auto feature = needed_feature(call.message.known->id);
  const auto server = servers.find(call.server);
  if (!feature || server == servers.end() || !call.facts.client_declared_feature) return false;
  return std::ranges::find(server->second.client_features, *feature) !=
         server->second.client_features.end();
}

}  // namespace

Decision check_features(const std::map<std::string, ServerConfig, std::less<>>& servers,
                        const Call& call) {
  if (call.message.is_answer()) return Decision::pass();
  if (!is_known_here(call)) return Decision::deny(Reason::method_not_found);
  if (call.direction == Direction::client_to_server) return Decision::pass();
  if (call.message.is_notification()) return Decision::permit(nullptr);
  if (!is_granted(servers, call)) return Decision::deny(Reason::client_feature_not_allowed);
  return Decision::permit(nullptr);
}

}  // namespace bartizan
