#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The well-known path of metadata about a resource, without the resource's own path.
inline constexpr std::string_view kResourceMetadataPath = "/.well-known/oauth-protected-resource";

/// The issuers whose tokens an endpoint takes: none where it has no `resource`. Lifetime: views the
/// configuration.
std::vector<const IssuerConfig*> issuers_at(const Config& config, const EndpointConfig& endpoint);

/// The front doors whose tokens an endpoint takes: none where it has no `resource`. Lifetime: views
/// the configuration.
std::vector<const FrontDoorConfig*> front_doors_at(const Config& config,
                                                   const EndpointConfig& endpoint);

/// The metadata document at that path, as JSON; nothing where there is none. Each endpoint that
/// takes tokens has one behind the well-known path and its own path, or that of its `resource`.
/// Source: RFC 9728 §2, §3.1; MCP 2026-07-28, basic/authorization.
std::optional<std::string> find_resource_metadata(const Config& config, std::string_view path);

/// What a client is told that was not let in: the value of `WWW-Authenticate`.
///
/// Input: the endpoint's name, and whether credentials were shown that are not valid.
/// Source: RFC 6750 §3; RFC 9728 §5.1.
std::string challenge_of(const Config& config, std::string_view endpoint, bool was_refused);

/// What a client is told whose token would have to have more scopes; the value of
/// `WWW-Authenticate`. Input: an endpoint that takes tokens; scopes. Source: RFC 6750 §3.1.
std::string scope_challenge_of(const EndpointConfig& endpoint,
                               const std::vector<std::string>& scopes);

}  // namespace bartizan
