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

/// One server as calls reach it: its configuration, with the secrets and certificates that it names
/// read from their files. Immutable.
///
/// Lifetime: every snapshot holds those of its servers. Once the last call that could use one is
///           over, nobody holds it, and that is when its instances are stopped.
struct ServerDefinition {
  /// Of these only what `has_same_instances` compares is used; the rest may have changed since.
  ServerConfig config;
  /// The revision of the configuration that brought it: tells definitions of one name apart.
  std::uint64_t generation = 0;
  std::vector<OwnHeader> headers;  ///< Sent to its URL, `Authorization` among them.
  std::optional<ServerUrl> url;    ///< Of a server behind one.
  /// Towards that URL; null where that is plain. All workers use the same, and so do other servers
  /// with the same authorities.
  std::shared_ptr<asio::ssl::context> tls;
  std::array<std::uint8_t, 32> files{};  ///< SHA-256 of all that was read.
  /// SHA-256 of what the server is: its command with the arguments, the approved digests of its
  /// files, its URL; not the secrets that it is given, which change while it stays what it is. And
  /// of its volatile members: what came first was told apart by the others.
  std::string program;
  /// Of an agent: the result of `tools/list`, by the profiles of the configuration.
  std::string agent_tools;
  std::vector<std::string> volatile_members;  ///< `PinsConfig::volatile_members`.
};
using ServerDefinitionPtr = std::shared_ptr<const ServerDefinition>;
using ServerDefinitions = std::map<std::string, ServerDefinitionPtr, std::less<>>;

/// Defines every server of `config`. One whose instances would be the same as under its definition
/// in `present`, files included, keeps that definition, and so its instances; the others get
/// `generation`. `present` is null when the gateway starts.
/// Errors: config_invalid with the server's name when credentials or certificates cannot be read.
///         A variable's secret (`env_secret`) that cannot be read refuses no start, where only the
///         child that needs it fails; later it does, or it would replace a server that runs.
Result<ServerDefinitions> define_servers(const Config& config, const ServerDefinitions* present,
                                         std::uint64_t generation);

/// Whether instances that one configuration of a server started could as well be the other's: all
/// but its timeout, its breaker, its prefix and its `output_schema` are the same, which calls take
/// from their own policy.
bool has_same_instances(const ServerConfig& one, const ServerConfig& other);

}  // namespace bartizan
