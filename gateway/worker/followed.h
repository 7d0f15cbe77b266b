#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// How a client names a resource: by the server's own URI, or by one that includes the server's
/// name (`named_uri`).
enum class UriForm : std::uint8_t { bare, named };

/// The resources that a client subscribed to: for each server and its own URI, the form that the
/// client used.
using Followed = std::map<std::pair<std::string, std::string>, UriForm>;

/// The form in which a client expects an update of that resource. Nothing if it subscribed neither
/// to the resource nor to one that contains it. Cost: one look-up, or one pass over all of them.
/// Source: MCP 2025-11-25, server/resources, "Subscriptions": an update may name a sub-resource.
std::optional<UriForm> followed_as(const Followed& followed, std::string_view server,
                                   std::string_view uri);

/// The URI of that server in that form.
std::string in_form(UriForm form, std::string_view server, std::string_view uri);

}  // namespace bartizan
