#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/http/http_client.h"
#include "gateway/http/own_header.h"
#include "gateway/runtime/asio.h"

namespace bartizan {

/// The definition of one server: its configuration, with the secrets and certificates read from
/// their files. Immutable.
///
/// Lifetime: every snapshot holds the definitions of its servers. When the last call that could use
///           a definition is over, nobody holds it, and its instances are stopped.
struct ServerDefinition {
  /// Only the parts that `has_same_instances` compares are used. The rest may have changed since.
  ServerConfig config;
  /// The revision of the configuration that introduced it. It separates definitions of one name.
  std::uint64_t generation = 0;
  std::vector<OwnHeader> headers;  ///< Sent to its URL, `Authorization` among them.
  std::optional<ServerUrl> url;    ///< Of a server behind a URL.
  /// For that URL; null for plain HTTP. Shared by all workers, and by servers with the same
  /// authorities.
  std::shared_ptr<asio::ssl::context> tls;
  std::array<std::uint8_t, 32> files{};  ///< SHA-256 of everything that was read.
  /// SHA-256 of the server's identity: its command with the arguments, the approved digests of its
  /// files, its URL, and its volatile members, since pinned tools are compared without those. The
  /// server's secrets are excluded, since they change while the server stays the same.
  std::string program;
  /// Of an agent: the result of `tools/list`, from the configured profiles.
  std::string agent_tools;
  std::vector<std::string> volatile_members;  ///< `PinsConfig::volatile_members`.
};
using ServerDefinitionPtr = std::shared_ptr<const ServerDefinition>;
using ServerDefinitions = std::map<std::string, ServerDefinitionPtr, std::less<>>;

/// Defines every server of `config`. A server keeps its definition in `present`, and so its
/// instances, if nothing about its instances or files has changed. The others get `generation`.
/// `present` is null when the gateway starts.
/// Errors: config_invalid with the server's name if credentials or certificates cannot be read. At
///         the start, an unreadable secret of a variable (`env_secret`) is not an error: only the
///         child that needs it fails. Later it is an error, since it would replace a running
///         server.
Result<ServerDefinitions> define_servers(const Config& config, const ServerDefinitions* present,
                                         std::uint64_t generation);

/// Whether instances started for one configuration also suit the other. Timeout, breaker, prefix,
/// `output_schema` and other settings that calls take from their own policy may differ. All others
/// must be equal.
bool has_same_instances(const ServerConfig& one, const ServerConfig& other);

}  // namespace bartizan
