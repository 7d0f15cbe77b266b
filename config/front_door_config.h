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
  std::string name = {};                        ///< What users are shown; the id where empty.
  std::vector<std::string> redirect_uris = {};  ///< Compared byte for byte, but a loopback's port.
  Position where = {};
};

/// `[auth.front_door.NAME]`: an authorization server of the gateway's own for MCP clients, which
/// has users sign in at an identity provider that registers no clients.
struct FrontDoorConfig {
  std::string name = {};
  /// The issuer identifier: the URL at which clients reach it. Its path is served here.
  std::string issuer = {};
  std::string path = {};  ///< Of `issuer`, which it is never empty in.

  /// The provider, and what its claims stand for. Its name is that of the front door. Its `issuer`
  /// is empty for a provider without OpenID Connect, and its `audiences` are the client's id.
  IssuerConfig provider = {};
  ProviderClient client = {};  ///< The gateway at the provider.
  /// Endpoints of the provider; empty are those of its metadata.
  std::string authorize_url = {};
  std::string token_url = {};
  /// Asked for claims with the provider's access token, beside or in place of an ID token.
  std::string user_url = {};
  std::vector<std::string> provider_scopes = {"openid"};

  /// By the scope that clients ask for, the roles that a token with it can have: those of them that
  /// its user has. Without any, a token has all roles of its user.
  std::map<std::string, std::vector<std::string>> scopes = {};
  std::vector<FrontDoorClientConfig> clients = {};
  /// Redirect URIs that clients may have that nobody registered by hand, beside loopback ones and
  /// those at the host of their metadata document.
  std::vector<std::string> redirect_uris = {
      "https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback",
      "https://vscode.dev/redirect", "cursor://anysphere.cursor-mcp/oauth/callback"};
  bool metadata_documents = true;  ///< A client's id may be the URL of its metadata document.
  bool registration = false;       ///< Clients may register themselves (RFC 7591).
  /// The documents of clients may be at addresses of private networks, or this machine's.
  bool private_networks = false;
  std::string ca_file = {};  ///< PEM roots for the documents of clients; system roots if empty.
  std::chrono::seconds access_token_lifetime{600};
  std::chrono::seconds sign_in_lifetime{30 * 86'400};  ///< From sign-in to the last refresh.
  std::chrono::seconds remember_consent{90 * 86'400};  ///< 0: every sign-in asks.
  Position where = {};
};

}  // namespace bartizan
