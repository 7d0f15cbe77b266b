#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/position.h"

namespace bartizan {

/// `[endpoint.NAME]`: one path at which MCP clients come in. Without any such table
/// `[listen] path` is the one endpoint, which has no name and shows everything.
struct EndpointConfig {
  std::string name = {};
  std::string path = {};  ///< Absolute, no query; no other endpoint has it.
  /// Kinds of credentials, `api_key`, or single ones, `api_key.NAME`. Nothing else is looked at
  /// here. Empty: everything that `[auth]` has.
  std::vector<std::string> auth = {};
  /// Names of the servers that are there for clients of this endpoint. Empty: all.
  std::vector<std::string> servers = {};
  /// `server/tool` globs. A tool that none matches is not there for clients of this endpoint.
  /// Empty: all tools of these servers. It permits nothing: rules do.
  std::vector<std::string> tools = {};
  /// The resource identifier that access tokens must be made for: an absolute URL. Empty where
  /// the endpoint takes no access tokens.
  std::string resource = {};
  /// What clients ask for at their first sign-in: the least that is of use. More is asked for when
  /// a call needs it.
  std::vector<std::string> scopes = {};
  /// `root_metadata`: the endpoint's metadata is also at the well-known path without the endpoint's
  /// own, for clients that look there only. At most one endpoint can have it.
  bool root_metadata = false;
  /// `certificate = "required"`: whoever comes in proves a certificate of `[listen] tls.client_ca`,
  /// whatever else proves who calls.
  bool needs_certificate = false;
  /// `discovery = "search"`: clients are shown three tools by which they search all others.
  bool is_searched = false;
  /// `handshake = "implied"`: where the connection is the session, a call that comes before
  /// `initialize` begins one of 2024-11-05.
  bool implies_handshake = false;
  /// What is spoken here.
  enum class Protocol : std::uint8_t {
    mcp,
    groundhog,  ///< Over WebSocket alone.
    /// Agents and their orchestrator over WebSocket, and requests of HTTP below `path`.
    fabricore
  } protocol = Protocol::mcp;
  /// Roles whose holders may register tools. Nobody may where it is empty.
  std::vector<std::string> registrars = {};
  Position where = {};
};

using EndpointConfigs = std::map<std::string, EndpointConfig, std::less<>>;

}  // namespace bartizan
