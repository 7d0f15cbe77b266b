#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "config/config.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// The client feature that a server's message needs; nothing if it needs none.
std::optional<ClientFeature> needed_feature(MethodId method);

/// The features that a client declared.
struct DeclaredFeatures {
  bool sampling = false, roots = false;
  bool elicitation = false;       ///< With forms.
  bool elicitation_urls = false;  ///< With URLs for its user.
};

/// Input: `capabilities` of a client. Elicitation without a mode means forms.
/// Source: MCP 2025-11-25, client/elicitation, "Capabilities".
DeclaredFeatures read_declared_features(JsonValue capabilities);

/// Whether a client declared the feature that a server's request needs.
bool has_declared(const DeclaredFeatures& declared, const Message& request);

/// Does this method exist in this direction, and may this server send it to clients?
///
/// A method that the revision does not have in this direction is refused. A server's request needs
/// a feature that is in the server's `client_features` and that the client declared. Other requests
/// of a server are refused. Its notifications pass, since the gateway relays them only within a
/// call or a session in progress. Passes what clients send.
///
/// Source: MCP 2025-11-25, basic/lifecycle, "Capability Negotiation".
Decision check_features(const std::map<std::string, ServerConfig, std::less<>>& servers,
                        const Call& call);

}  // namespace bartizan
