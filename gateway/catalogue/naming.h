#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace bartizan {

/// The prefix of a server's tools and prompts for clients, such as `files_`; empty with `prefix =
/// "never"`.
std::string prefix_of(const ServerConfig& server);

/// The name under which clients see a server's tool or prompt: `server_name`, or the bare name with
/// `prefix = "never"`. `shown` replaces the server's name. It has at most 64 bytes, since model
/// APIs refuse more. A longer name is cut and ends in eight hex digits of SHA-256 of `server/name`,
/// so it is always the same.
std::string exposed_name(const ServerConfig& server, std::string_view name);

/// The URI under which clients see a resource or template of one particular server:
/// `bartizan://SERVER/URI`. It contains the server's own URI unchanged, so `split_named_uri` can
/// read it back, and a template stays a template.
std::string named_uri(std::string_view server, std::string_view uri);

/// The server and the server's own URI of a URI in that form. Nothing for other URIs, and if either
/// part is empty. Lifetime: views the input.
std::optional<std::pair<std::string_view, std::string_view>> split_named_uri(std::string_view uri);

/// Whether a resource is that one, or a part of it: an update may name a part.
/// Source: MCP 2025-11-25, server/resources, "Subscriptions".
bool is_part_of(std::string_view uri, std::string_view whole);

/// The two parts of an exposed name with a prefix, split at the first `_`. No server name contains
/// `_`. The server is empty if there is no `_`.
std::pair<std::string_view, std::string_view> split_exposed_name(std::string_view exposed);

/// The parts of an exposed name with a prefix.
struct PrefixedName {
  const ServerConfig* server = nullptr;  ///< Null if no server has that prefix.
  std::string_view name = {};            ///< The server's own name, unless it was shortened.
};

/// Finds the server of a name by its prefix. The configuration ensures that no two servers fit.
/// Lifetime: views both. Cost: a look-up; a pass over the servers if that finds nothing.
PrefixedName find_prefixed(const std::map<std::string, ServerConfig, std::less<>>& servers,
                           std::string_view exposed);

}  // namespace bartizan
