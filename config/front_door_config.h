#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "config/issuer_config.h"
#include "config/position.h"
#include "config/provider_client.h"

namespace bartizan {

/// `[auth.front_door.NAME.client.ID]`: a client that the operator registered.
struct FrontDoorClientConfig {
  std::string id = {};
  std::string name = {};  ///< Shown to users; empty: the id.
  /// Compared byte for byte, except the port of a loopback URI.
  std::vector<std::string> redirect_uris = {};
  Position where = {};
};

/// `[auth.front_door.NAME]`: the gateway's own authorization server for MCP clients. Users sign in
/// at an identity provider that does not register clients.
struct FrontDoorConfig {
  std::string name = {};
  /// The issuer identifier: the URL that clients use. The gateway serves its path.
  std::string issuer = {};
  std::string path = {};  ///< The path of `issuer`; never empty.

  /// The provider and the meaning of its claims. Its name is the front door's. Its `issuer` is
  /// empty for a provider without OpenID Connect, and its `audiences` are the client id.
  IssuerConfig provider = {};
  ProviderClient client = {};  ///< The gateway at the provider.
  /// Endpoints of the provider; empty: those of its metadata.
  std::string authorize_url = {};
  std::string token_url = {};
  /// Queried for claims with the provider's access token, in addition to an ID token or instead of
  /// one.
  std::string user_url = {};
  std::vector<std::string> provider_scopes = {"openid"};

  /// Scope → the roles that a token with this scope can carry, as far as its user has them. Without
  /// entries, a token carries all roles of its user.
  std::map<std::string, std::vector<std::string>> scopes = {};
  std::vector<FrontDoorClientConfig> clients = {};
  /// Redirect URIs allowed to clients without manual registration. Loopback URIs, and those at the
  /// host of a client's metadata document, are allowed as well.
  std::vector<std::string> redirect_uris = {
      "https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback",
      "https://vscode.dev/redirect", "cursor://anysphere.cursor-mcp/oauth/callback"};
  bool metadata_documents = true;  ///< A client's id may be the URL of its metadata document.
  bool registration = false;       ///< Clients may register themselves (RFC 7591).
  /// Metadata documents of clients may be at addresses of private networks or of this machine.
  bool private_networks = false;
  std::string ca_file = {};  ///< PEM roots for metadata documents of clients; empty: system roots.
  std::chrono::seconds access_token_lifetime{600};
  std::chrono::seconds sign_in_lifetime{30 * 86'400};  ///< From sign-in to the last refresh.
  std::chrono::seconds remember_consent{90 * 86'400};  ///< 0: every sign-in asks.
  Position where = {};
};

}  // namespace bartizan
