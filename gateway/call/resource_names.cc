#include "gateway/call/resource_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/call/resolve_target.h"
#include "gateway/catalogue/naming.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/splice.h"

namespace bartizan {
namespace {

using ResourceUris = ServerConfig::ResourceUris;

const ServerConfig* find_server(const CallFrame& frame, std::string_view name) {
  const auto& servers = frame.snapshot().config.servers;
  const auto found = servers.find(name);
  return found == servers.end() ? nullptr : &found->second;
}

/// The server and own URI that a client means by a URI that names a configured server.
std::optional<std::pair<std::string_view, std::string_view>> read_named(const CallFrame& frame,
                                                                        std::string_view uri) {
  auto named = split_named_uri(uri);
  if (named.has_value() && find_server(frame, named->first) == nullptr) named.reset();
  return named;
}

/// Members of a tool's `_meta` that are URIs of resources: of MCP Apps, of its first drafts, and of
/// one vendor's clients.
constexpr std::array<std::string_view, 2> kLinks{"ui/resourceUri", "openai/outputTemplate"};

/// The replacements of one document.
class Renaming {
 public:
  Renaming(const ServerConfig& server, const ResourceNames* names)
      : server_(server), names_(names) {}

  void rename(JsonValue uri) {
    if (!uri.is(JsonType::string)) return;
    const std::string own(uri.text());
    const std::string shown = names_ == nullptr ? named_uri(server_.name, own)
                                                : names_->shown(server_, ListKind::resources, own);
    if (shown == own) return;
    splices_.push_back({SpliceKind::resource_uri, uri.range(), json_string(shown)});
  }

  /// A block of content: a link, or a resource that stands in it.
  void rename_block(JsonValue block) {
    if (!block.is(JsonType::object)) return;
    if (block.find("type").text() == "resource_link") rename(block.find("uri"));
    rename(block.find("resource").find("uri"));
  }

  /// An entry of a skill: its own URI and those of its files.
  void rename_skill(JsonValue skill) {
    if (!skill.is(JsonType::object)) return;
    const JsonValue uri = skill.find("uri");
    const bool is_named =
        names_ == nullptr || names_->shown(server_, ListKind::skills, uri.text()) != uri.text();
    // All in one form, or its files would lie outside of its directory.
    if (!is_named) return;
    names_ = nullptr;
    rename(uri);
    for (const JsonValue file : skill.find("resources"))
      rename(file.find("uri"));
  }

  std::vector<Splice> take() && {
    sort_splices(splices_);
    return std::move(splices_);
  }

 private:
  const ServerConfig& server_;
  const ResourceNames* names_;  ///< Null where the client named the server itself.
  std::vector<Splice> splices_;
};

bool has_resources(MethodId method) {
  return method == MethodId::tools_call || method == MethodId::prompts_get ||
         method == MethodId::resources_read || method == MethodId::skills_get ||
         method == MethodId::resources_directory_read;
}

void rename_all(JsonValue result, Renaming& renaming) {
  for (const JsonValue block : result.find("content"))
    renaming.rename_block(block);
  for (const JsonValue message : result.find("messages"))
    renaming.rename_block(message.find("content"));
  for (const JsonValue content : result.find("contents"))
    renaming.rename(content.find("uri"));
  for (const JsonValue child : result.find("resources"))
    renaming.rename(child.find("uri"));
  renaming.rename_skill(result.find("skill"));
}

/// Whether a result may name a resource at all. Cost: a look at each block's members.
bool names_resources(JsonValue result) {
  if (result.find("contents") || result.find("messages")) return true;
  if (result.find("resources") || result.find("skill")) return true;
  const JsonValue content = result.find("content");
  return std::any_of(content.begin(), content.end(), [](JsonValue block) {
    return block.find("type").text() == "resource_link" || block.find("resource");
  });
}

}  // namespace

bool lists_skill_file(const ServerList* skills, std::string_view uri) {
  if (skills == nullptr) return false;
  for (std::size_t end = uri.find('/'); end != std::string_view::npos;
       end = uri.find('/', end + 1)) {
    if (skills->find(skill_uri(uri.substr(0, end))) != nullptr) return true;
  }
  return false;
}

std::vector<const ServerConfig*> bare_servers(const CallFrame& frame) {
  std::vector<const ServerConfig*> bare;
  for (const auto& [name, server] : frame.snapshot().config.servers) {
    if (server.resource_uris == ResourceUris::named) continue;
    if (frame.policy().concerns(frame.principal(), name, any_call_of(frame))) {
      bare.push_back(&server);
    }
  }
  return bare;
}

ResourceNames::ResourceNames(CallFrame& frame) : frame_(frame) {
  const std::vector<const ServerConfig*> bare = bare_servers(frame);
  // Alone, nobody contests what a server lists.
  if (bare.empty() || frame.snapshot().config.servers.size() == 1) return;
  const Catalogue& catalogue = frame.worker.catalogue;
  for (const ServerConfig* server : bare) {
    const InstanceKey key = upstream_for(frame, *server).key();
    bare_.push_back({.server = server,
                     .resources = catalogue.known(key, ListKind::resources),
                     .templates = catalogue.known(key, ListKind::resource_templates),
                     .skills = catalogue.known(key, ListKind::skills)});
  }
}

bool ResourceNames::is_contested(const ServerConfig& server, ListKind kind,
                                 std::string_view uri) const {
  return std::ranges::any_of(bare_, [&](const Bare& other) {
    if (other.server->name == server.name) return false;
    const bool is_template = kind == ListKind::resource_templates;
    const ServerListPtr& list = is_template ? other.templates : other.resources;
    const ListKind seen = is_template ? kind : ListKind::resources;
    bool is_listed =
        list != nullptr ? list->find(uri) != nullptr
                        : frame_.worker.gateway.seen_resources.lists(other.server->name, seen, uri);
    is_listed |= !is_template && lists_skill_file(other.skills.get(), uri);
    return is_listed && frame_.policy().shows(frame_.principal(), TargetKind::resource,
                                              other.server->name, uri, any_call_of(frame_));
  });
}

std::string ResourceNames::shown(const ServerConfig& server, ListKind kind,
                                 std::string_view uri) const {
  const bool is_named = server.resource_uris == ResourceUris::named ||
                        read_named(frame_, uri).has_value() || is_contested(server, kind, uri);
  return is_named ? named_uri(server.name, uri) : std::string(uri);
}

RewriteOutcome name_resources(CallFrame& frame, ReceivedMessage& received) {
  const Message& message = received.message;
  const bool is_concerned = message.kind == MessageKind::response &&
                            frame.target.server != nullptr && has_resources(frame.method()) &&
                            names_resources(message.result);
  if (!is_concerned) return RewriteOutcome::passes;
  // What was read by the server's name is answered so, too.
  std::optional<ResourceNames> names;
  if (frame.target.uri_form == UriForm::bare) names.emplace(frame);
  Renaming renaming(*frame.target.server, names.has_value() ? &*names : nullptr);
  rename_all(message.result, renaming);
  const std::vector<Splice> splices = std::move(renaming).take();
  if (splices.empty()) return RewriteOutcome::passes;
  std::string text;
  append_spliced(text, received.bytes.view(), splices);
  return read_again(frame, received, std::move(text), Copies::differ);
}

std::string with_shown_links(const ResourceNames& names, const ServerConfig& server,
                             std::string entry) {
  const bool may_link = entry.contains("resourceUri") || entry.contains("outputTemplate");
  if (!may_link) return entry;
  const Bytes bytes(std::move(entry));
  JsonDocument document;
  const Result<JsonValue> tool = document.read(bytes);
  if (!tool.has_value()) return std::string(bytes.view());
  Renaming renaming(server, &names);
  const JsonValue meta = tool->find("_meta");
  renaming.rename(meta.find("ui").find("resourceUri"));
  for (const std::string_view link : kLinks)
    renaming.rename(meta.find(link));
  std::string shown;
  append_spliced(shown, bytes.view(), std::move(renaming).take());
  return shown;
}

std::string with_named_files(const ServerConfig& server, std::string entry) {
  const Bytes bytes(std::move(entry));
  JsonDocument document;
  const Result<JsonValue> skill = document.read(bytes);
  if (!skill.has_value()) return std::string(bytes.view());
  Renaming renaming(server, nullptr);
  renaming.rename_skill(*skill);
  std::string shown;
  append_spliced(shown, bytes.view(), std::move(renaming).take());
  return shown;
}

std::optional<std::string> own_uri(const CallFrame& frame, std::string_view server,
                                   std::string_view uri) {
  const auto named = read_named(frame, uri);
  if (named.has_value()) {
    if (named->first != server) return std::nullopt;
    return std::string(named->second);
  }
  const ServerConfig* config = find_server(frame, server);
  if (config == nullptr || config->resource_uris != ResourceUris::bare) return std::nullopt;
  return std::string(uri);
}

std::optional<std::vector<std::string>> own_subscriptions(const CallFrame& frame,
                                                          const ServerConfig& server) {
  const JsonValue wanted =
      frame.message().params.find("notifications").find("resourceSubscriptions");
  std::vector<std::string> own;
  bool is_as_sent = true;
  for (const JsonValue uri : wanted) {
    if (!uri.is(JsonType::string)) return std::nullopt;
    std::optional<std::string> one = own_uri(frame, server.name, uri.text());
    is_as_sent = is_as_sent && one.has_value() && *one == uri.text();
    if (one.has_value()) own.push_back(*std::move(one));
  }
  if (is_as_sent) return std::nullopt;
  return own;
}

Followed named_subscriptions(const CallFrame& frame) {
  Followed followed;
  for (const JsonValue uri :
       frame.message().params.find("notifications").find("resourceSubscriptions")) {
    const auto named = read_named(frame, uri.text());
    if (!named.has_value()) continue;
    followed.emplace(std::pair(named->first, named->second), UriForm::named);
  }
  return followed;
}

}  // namespace bartizan
