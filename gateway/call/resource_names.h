#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/catalogue/catalogue.h"

namespace bartizan {

/// The URIs under which the caller of one call sees resources of the servers: the server's own URI,
/// or the one that names the server (`named_uri`). A URI names its server where
/// - the configuration says so (`resource_uris = "named"`);
/// - another server that the caller may use has listed the same URI, to the caller or, without a
///   list for the caller, to anybody. A bare URI would then be ambiguous;
/// - the server's own URI would be read as one that names a server.
///
/// Lifetime: within the call. Lists that are fetched later are not used.
/// Cost:     one look into the lists of each other server, for each URI.
class ResourceNames {
 public:
  explicit ResourceNames(CallFrame& frame);

  /// Input: `kind` is `resources`, `resource_templates` for a template, `skills` for a skill.
  std::string shown(const ServerConfig& server, ListKind kind, std::string_view uri) const;

  /// Whether another server is known to list it, bare, to this caller.
  bool is_contested(const ServerConfig& server, ListKind kind, std::string_view uri) const;

 private:
  struct Bare {
    const ServerConfig* server;
    ServerListPtr resources;  ///< As last fetched; null if it never was for this caller here.
    ServerListPtr templates;
    ServerListPtr skills;
  };

  CallFrame& frame_;
  std::vector<Bare> bare_;  ///< Servers whose URIs clients see bare.
};

/// The configured servers that concern the caller and whose URIs clients see bare.
std::vector<const ServerConfig*> bare_servers(const CallFrame& frame);

/// Rewrites the URIs of resources in a result to the form in which the client can read them. These
/// are the URIs in `contents`, and in links and embedded resources of `content` and `messages`. A
/// message without such URIs stays unchanged. Withheld if there is no memory for the rewrite.
RewriteOutcome name_resources(CallFrame& frame, ReceivedMessage& received);

/// A listed tool whose links to resources of its own server have the form in which clients can read
/// them. Source: MCP Apps (SEP-1865), `_meta.ui.resourceUri`.
std::string with_shown_links(const ResourceNames& names, const ServerConfig& server,
                             std::string entry);

/// Whether a list of skills has a skill whose directory contains the URI. Input: the list, or null.
bool lists_skill_file(const ServerList* skills, std::string_view uri);

/// A listed skill whose URIs name their server, those of its files too.
std::string with_named_files(const ServerConfig& server, std::string entry);

/// A URI of a resource as that server knows it. Nothing if it is for another server.
/// Input: the URI as the client spelled it.
std::optional<std::string> own_uri(const CallFrame& frame, std::string_view server,
                                   std::string_view uri);

/// The URIs of a subscription that are for that server, as the server knows them. Nothing if the
/// message already has exactly these, or has no array of texts.
std::optional<std::vector<std::string>> own_subscriptions(const CallFrame& frame,
                                                          const ServerConfig& server);

/// The resources that a subscription names with a server's name, each with that form.
Followed named_subscriptions(const CallFrame& frame);

}  // namespace bartizan
