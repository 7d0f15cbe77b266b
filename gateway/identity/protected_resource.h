#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The well-known path of resource metadata, without the resource's own path.
inline constexpr std::string_view kResourceMetadataPath = "/.well-known/oauth-protected-resource";

/// The issuers whose tokens an endpoint accepts; none if it has no `resource`. Lifetime: views the
/// configuration.
std::vector<const IssuerConfig*> issuers_at(const Config& config, const EndpointConfig& endpoint);

/// The front doors whose tokens an endpoint accepts; none if it has no `resource`. Lifetime: views
/// the configuration.
std::vector<const FrontDoorConfig*> front_doors_at(const Config& config,
                                                   const EndpointConfig& endpoint);

/// The metadata document at that path, as JSON; nothing without one. Each endpoint that accepts
/// tokens has one. Its path is the well-known path followed by the endpoint's own path, or by that
/// of its `resource`.
/// Source: RFC 9728 §2, §3.1; MCP 2026-07-28, basic/authorization.
std::optional<std::string> find_resource_metadata(const Config& config, std::string_view path);

/// The value of `WWW-Authenticate` for a client that was not authenticated.
///
/// Input: the endpoint's name, and whether the client sent invalid credentials.
/// Source: RFC 6750 §3; RFC 9728 §5.1.
std::string challenge_of(const Config& config, std::string_view endpoint, bool was_refused);

/// The value of `WWW-Authenticate` for a client whose token needs more scopes. Input: an endpoint
/// that accepts tokens; scopes. Source: RFC 6750 §3.1.
std::string scope_challenge_of(const EndpointConfig& endpoint,
                               const std::vector<std::string>& scopes);

}  // namespace bartizan
