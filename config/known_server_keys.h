#pragma once

#include <array>

#include "config/known_keys.h"

namespace bartizan {

/// The keys of `[server.NAME]`, a part of `known_keys()`.
inline constexpr auto kKnownServerKeys = std::to_array<KnownKey>({
    {"server.*", "command"},
    {"server.*", "transport"},
    {"server.*", "url"},
    {"server.*", "agent"},
    {"server.*", "cwd"},
    {"server.*", "env"},
    {"server.*", "env_allow"},
    {"server.*", "env_secret"},
    {"server.*", "instances"},
    {"server.*", "max_in_flight"},
    {"server.*", "timeout"},
    {"server.*", "slow"},
    {"server.*", "high_memory"},
    {"server.*", "breaker"},
    {"server.*", "client_features"},
    {"server.*", "elicitation_urls"},
    {"server.*", "sandbox"},
    {"server.*", "security_profile"},
    {"server.*", "credentials"},
    {"server.*", "headers"},
    {"server.*", "tls_ca"},
    {"server.*", "prefix"},
    {"server.*", "shown"},
    {"server.*", "resource_uris"},
    {"server.*", "output_schema"},
    {"server.*", "server_errors"},
    {"server.*", "folded_names"},
    {"server.*", "trust"},
    {"server.*", "labels"},
    {"server.*", "executables"},
    {"server.*.env", "*"},
    {"server.*.env_secret", "*"},
    {"server.*.breaker", "failures"},
    {"server.*.breaker", "window"},
    {"server.*.breaker", "open"},
    {"server.*.sandbox", "level"},
    {"server.*.sandbox", "user"},
    {"server.*.sandbox", "home"},
    {"server.*.sandbox", "network"},
    {"server.*.sandbox", "read"},
    {"server.*.sandbox", "write"},
    {"server.*.sandbox", "memory"},
    {"server.*.sandbox", "open_files"},
    {"server.*.sandbox", "total_memory"},
    {"server.*.sandbox", "processes"},
    {"server.*.sandbox", "cpu_percent"},
    {"server.*.security_profile", "sandbox_level"},
    {"server.*.security_profile", "max_execution_time"},
    {"server.*.security_profile", "max_memory"},
    {"server.*.agent", "id"},
    {"server.*.agent", "token_sha256"},
    {"server.*.agent", "mcp_servers"},
    {"server.*.credentials", "bearer"},
    {"server.*.credentials", "user"},
    {"server.*.credentials", "password"},
    {"server.*.headers", "*"},
});

}  // namespace bartizan
