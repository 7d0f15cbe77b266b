#include "policy/check/check_features.h"

namespace bartizan {

std::optional<ClientFeature> needed_feature(MethodId method) {
  switch (method) {
    case MethodId::sampling_create_message:
      return ClientFeature::sampling;
    case MethodId::elicitation_create:
    case MethodId::notifications_elicitation_complete:
      return ClientFeature::elicitation;
    case MethodId::roots_list:
      return ClientFeature::roots;
    case MethodId::notifications_message:
      return ClientFeature::logging;
    default:
      return std::nullopt;
  }
}

DeclaredFeatures read_declared_features(JsonValue capabilities) {
  const JsonValue elicitation = capabilities.find("elicitation");
  const bool by_url = static_cast<bool>(elicitation.find("url"));
  return {.sampling = static_cast<bool>(capabilities.find("sampling")),
          .roots = static_cast<bool>(capabilities.find("roots")),
          .elicitation = elicitation && (!by_url || elicitation.find("form")),
          .elicitation_urls = by_url};
}

bool has_declared(const DeclaredFeatures& declared, const Message& request) {
  switch (request.known->id) {
    case MethodId::sampling_create_message:
      return declared.sampling;
    case MethodId::elicitation_create:
      return request.params.find("mode").text() == "url" ? declared.elicitation_urls
                                                         : declared.elicitation;
    case MethodId::roots_list:
      return declared.roots;
    default:
      return false;
  }
}

namespace {

/// Notifications are held to their direction only: a server that is newer than the session may send
/// one that the session's revision lacks, and clients ignore those.
bool is_known_here(const Call& call) {
  const Method& method = *call.message.known;
  // What stands in a result is a request in every revision that has such results.
  if (call.facts.is_input_request) {
    return !method.is_notification && needed_feature(method.id).has_value();
  }
  if (call.message.is_request()) {
    return !method.is_notification && is_supported(method, call.version, call.direction);
  }
  const bool is_sent_here =
      call.direction == Direction::client_to_server ? method.from_client : method.from_server;
  return method.id != MethodId::unknown && method.is_notification && is_sent_here;
}

bool is_granted(const std::map<std::string, ServerConfig, std::less<>>& servers, const Call& call) {
  const auto feature = needed_feature(call.message.known->id);
  const auto server = servers.find(call.server);
  return feature.has_value() && server != servers.end() && call.facts.client_declared_feature &&
         allows(server->second.client_features, *feature);
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
