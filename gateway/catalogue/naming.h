#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace bartizan {

/// What stands in front of a server's tools and prompts towards clients: `files_`; empty with
/// `prefix = "never"`.
std::string prefix_of(const ServerConfig& server);

/// The name under which clients see a server's tool or prompt: `server_name`, with what `shown`
/// says in the place of the server's name, or the bare name with `prefix = "never"`; at most 64
/// bytes, since model APIs refuse more. A longer one is cut and ends in eight hex digits of SHA-256
/// of `server/name`, so that it is always the same.
std::string exposed_name(const ServerConfig& server, std::string_view name);

/// The URI under which clients see a resource, or a template, of one certain server:
/// `bartizan://SERVER/URI`. The server's own URI stands in it unchanged, so that the form can be
/// read back (`split_named_uri`), and a template stays one.
std::string named_uri(std::string_view server, std::string_view uri);

/// The two parts of a URI in that form: server and the server's own URI. Nothing of another URI, or
/// where either part is empty. Lifetime: views the input.
std::optional<std::pair<std::string_view, std::string_view>> split_named_uri(std::string_view uri);

/// Whether a resource is that one, or a part of it: an update may name a part.
/// Source: MCP 2025-11-25, server/resources, "Subscriptions".
bool is_part_of(std::string_view uri, std::string_view whole);

/// The two parts of an exposed name with a prefix, split at the first `_`, which no server name
/// has; an empty server when there is none.
std::pair<std::string_view, std::string_view> split_exposed_name(std::string_view exposed);

/// An exposed name with a prefix, taken apart.
struct PrefixedName {
  const ServerConfig* server = nullptr;  ///< Null where no server has such a prefix.
  std::string_view name = {};            ///< The server's own, unless it was shortened.
};

/// Whose name it is by its prefix. No two servers can have it: the configuration is held to that.
/// Lifetime: views both. Cost: a look-up; where that finds nothing, a pass over the servers.
PrefixedName find_prefixed(const std::map<std::string, ServerConfig, std::less<>>& servers,
                           std::string_view exposed);

}  // namespace bartizan
