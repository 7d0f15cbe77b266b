#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// How a client names a resource: by the server's own URI, or by one that names the server, too
/// (`named_uri`).
enum class UriForm : std::uint8_t { bare, named };

/// The resources that a client follows. To each server and own URI, the form in which the client
/// asked for it.
using Followed = std::map<std::pair<std::string, std::string>, UriForm>;

/// The form in which a client expects an update of that resource; nothing where it follows neither
/// the resource nor one that it is a part of. Cost: one look, or one pass over all of them.
/// Source: MCP 2025-11-25, server/resources, "Subscriptions": an update may name a sub-resource.
std::optional<UriForm> followed_as(const Followed& followed, std::string_view server,
                                   std::string_view uri);

/// That server's URI in that form.
std::string in_form(UriForm form, std::string_view server, std::string_view uri);

}  // namespace bartizan
