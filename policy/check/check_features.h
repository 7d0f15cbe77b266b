#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "config/config.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// The feature of clients that a server's message needs; none for a method that needs none.
std::optional<ClientFeature> needed_feature(MethodId method);

/// What a client said that it can do for servers.
struct DeclaredFeatures {
  bool sampling = false, roots = false;
  bool elicitation = false;       ///< By forms.
  bool elicitation_urls = false;  ///< By sending its user to URLs.
};

/// Input: `capabilities` of a client. Elicitation without a mode means forms.
/// Source: MCP 2025-11-25, client/elicitation, "Capabilities".
DeclaredFeatures read_declared_features(JsonValue capabilities);

/// Whether a client can do what a server's request asks for.
bool has_declared(const DeclaredFeatures& declared, const Message& request);

/// May this message exist at all in its direction, and may this server ask that of clients?
///
/// A method that the revision does not have in this direction is refused. A server's request needs
/// the feature in that server's `client_features`, and that the client declared it; its
/// notifications pass, since the gateway relays them only within a call or a session in progress.
/// Anything else that a server might ask is refused. Silent about what clients send.
///
/// Source: MCP 2025-11-25, basic/lifecycle, "Capability Negotiation".
Decision check_features(const std::map<std::string, ServerConfig, std::less<>>& servers,
                        const Call& call);

}  // namespace bartizan
