#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/position.h"

namespace bartizan {

/// `[endpoint.NAME]`: one path for MCP clients. Without any such table, `[listen] path` is the one
/// endpoint; it has no name and shows everything.
struct EndpointConfig {
  std::string name = {};
  std::string path = {};  ///< Absolute, without a query; unique among endpoints.
  /// Accepted credentials: kinds, such as `api_key`, or single ones, `api_key.NAME`. Others are
  /// ignored here. Empty: all of `[auth]`.
  std::vector<std::string> auth = {};
  /// Names of the servers that clients of this endpoint see. Empty: all.
  std::vector<std::string> servers = {};
  /// `server/tool` globs of the tools that clients of this endpoint see. Empty: all tools of these
  /// servers. The list permits nothing; only rules do.
  std::vector<std::string> tools = {};
  /// The resource identifier, an absolute URL, that access tokens must be issued for. Empty: the
  /// endpoint accepts no access tokens.
  std::string resource = {};
  /// Scopes that clients request at their first sign-in: the least that is useful. Later calls can
  /// require more.
  std::vector<std::string> scopes = {};
  /// The endpoint's metadata is also served at the well-known path without the endpoint's path, for
  /// clients that look only there. At most one endpoint can set this.
  bool root_metadata = false;
  /// `certificate = "required"`: every client must prove a certificate of `[listen] tls.client_ca`,
  /// whatever else authenticates it.
  bool needs_certificate = false;
  /// `discovery = "search"`: clients see three tools, with which they search all others.
  bool is_searched = false;
  /// `handshake = "implied"`: a call before `initialize` starts a session of 2024-11-05. Only on
  /// transports where the connection is the session.
  bool implies_handshake = false;
  /// The protocol of the endpoint's clients.
  enum class Protocol : std::uint8_t {
    mcp,
    groundhog,  ///< Over WebSocket only.
    /// Agents and their orchestrator over WebSocket, and HTTP requests below `path`.
    fabricore
  } protocol = Protocol::mcp;
  /// Roles whose holders may register tools. Empty: nobody may.
  std::vector<std::string> registrars = {};
  Position where = {};
};

using EndpointConfigs = std::map<std::string, EndpointConfig, std::less<>>;

}  // namespace bartizan
