#include "gateway/call/resolve_target.h"

#include <algorithm>
#include <utility>

#include "gateway/call/call_task.h"
#include "gateway/call/resource_names.h"
#include "gateway/catalogue/naming.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "policy/check/check_access.h"

namespace bartizan {
namespace {

/// How long a call may wait for lists: as long as it may take as a whole.
std::chrono::milliseconds wait_of(const CallFrame& frame) {
  return std::min<std::chrono::milliseconds>(limits::server_start_deadline,
                                             frame.policy().timeout(frame.call));
}

/// How long a bare URI waits for the list of each server that may have it: one that hangs must not
/// hold up what others have.
constexpr std::chrono::milliseconds kListPatience{5'000};
/// And how long one that was waited for in vain is not waited for again.
constexpr std::chrono::seconds kListRetry{30};
constexpr std::chrono::milliseconds kNoPatience{1};

void set_name(CallFrame& frame, std::string name) {
  Call& call = frame.call;
  frame.target.name = std::move(name);
  call.target = frame.target.name;
  call.facts.known = frame.policy().known(call.target_kind, call.server, call.target);
}

void set_target(CallFrame& frame, const ServerConfig& server, std::string name) {
  frame.target.server = &server;
  frame.target.upstream = upstream_for(frame, server);
  frame.call.server = server.name;
  set_name(frame, std::move(name));
}

/// A name as long as may be was perhaps shortened, and is not the server's own: its list has the
/// one that leads to it.
Task<void> restore_shortened(CallFrame& frame, ListKind kind, std::string_view exposed) {
  const Result<ServerListPtr> list = co_await frame.worker.catalogue.get(
      frame.target.upstream, kind, Catalogue::Freshness::usual, wait_of(frame));
  if (!list.has_value()) co_return;
  std::size_t found = 0;
  for (const ListedEntry& entry : (*list)->entries) {
    if (exposed_name(*frame.target.server, entry.name) != exposed) continue;
    set_name(frame, entry.name);
    // Two names that are shortened to one: neither is called.
    frame.target.is_collision = ++found > 1;
  }
}

/// Whether operators blocked what a list has: lists of clients leave it out, too.
bool is_blocked(const CallFrame& frame, ListKind kind, std::string_view server,
                std::string_view name) {
  const RevocationTable* revocations = frame.worker.gateway.revocations.get();
  return kind == ListKind::tools ? is_tool_blocked(revocations, server, name)
                                 : is_server_blocked(revocations, server);
}

/// The one server with bare names of which the caller may use something, whether it is up or down;
/// null where there are several, or none.
const ServerConfig* only_bare_server(const CallFrame& frame) {
  const ServerConfig* only = nullptr;
  for (const auto& [name, config] : frame.snapshot().config.servers) {
    if (config.prefix == ServerConfig::Prefix::always) continue;
    if (!frame.policy().concerns(frame.principal(), name, any_call_of(frame))) continue;
    if (only != nullptr) return nullptr;
    only = &config;
  }
  return only;
}

/// Bare names: the one server that lists it. Two that do are a collision, and neither is called;
/// what is blocked is called only where nobody else has the name, and then refused as that.
Task<void> resolve_bare_name(CallFrame& frame, ListKind kind, std::string_view exposed) {
  const ServerConfig* owner = nullptr;
  const ServerConfig* blocked_owner = nullptr;
  std::string name;
  std::string blocked_name;
  for (const Participant& one : participants(frame)) {
    if (one.config->prefix == ServerConfig::Prefix::always) continue;
    const Result<ServerListPtr> list = co_await frame.worker.catalogue.get(
        one.upstream, kind, Catalogue::Freshness::usual, wait_of(frame));
    if (!list.has_value()) continue;
    for (const ListedEntry& entry : (*list)->entries) {
      if (exposed_name(*one.config, entry.name) != exposed) continue;
      if (is_blocked(frame, kind, one.config->name, entry.name)) {
        blocked_owner = one.config;
        blocked_name = entry.name;
        continue;
      }
      if (owner != nullptr) {
        frame.target.is_collision = true;
        co_return;
      }
      owner = one.config;
      name = entry.name;
    }
  }
  if (owner == nullptr && blocked_owner != nullptr) {
    owner = blocked_owner;
    name = std::move(blocked_name);
  }
  if (owner == nullptr) {
    // Nobody has it, or whoever has it is down. With one server there is no doubt about whom it was
    // meant for.
    owner = only_bare_server(frame);
    if (owner == nullptr) co_return;
    name = exposed;
  }
  set_target(frame, *owner, std::move(name));
}

/// Most names say which server has them, and no list is asked for.
Task<void> resolve_name(CallFrame& frame, ListKind kind, TargetKind target,
                        std::string_view exposed) {
  frame.call.target_kind = target;
  frame.target.name = exposed;
  frame.call.target = frame.target.name;
  const auto [server, name] = find_prefixed(frame.snapshot().config.servers, exposed);
  if (server == nullptr) return resolve_bare_name(frame, kind, exposed);
  set_target(frame, *server, std::string(name));
  const bool may_be_shortened = exposed.size() >= limits::exposed_name_bytes_max;
  // Of a server that the caller cannot see anything of, no list is asked for.
  const bool is_seen = frame.policy().concerns(frame.principal(), server->name, any_call_of(frame));
  if (may_be_shortened && is_seen) return restore_shortened(frame, kind, exposed);
  return Task<void>::ready();
}

/// What is known of one list of a server: the list; or, of one that gave the caller none in time,
/// what it listed last to anybody. Whom a URI is for must not depend on who is alive.
struct KnownList {
  ServerListPtr list;
  bool is_late = false;
};

Task<KnownList> list_of(CallFrame& frame, const ServerConfig& server, ListKind kind) {
  const UpstreamHandle upstream = upstream_for(frame, server);
  KnownList known;
  const ServerState* state = frame.worker.directory->find(server.name);
  if (state != nullptr && state->is_up()) {
    auto& late_since = frame.worker.late_since;
    const auto late = late_since.find(server.name);
    const bool is_known_late = late != late_since.end() && coarse_now() - late->second < kListRetry;
    Result<ServerListPtr> list = co_await frame.worker.catalogue.get(
        upstream, kind, Catalogue::Freshness::usual,
        is_known_late ? kNoPatience : std::min(kListPatience, wait_of(frame)));
    if (list.has_value()) {
      late_since.erase(server.name);
      known.list = *std::move(list);
      co_return known;
    }
    known.is_late = list.error().code == ErrorCode::timed_out;
    if (known.is_late && !is_known_late) late_since.insert_or_assign(server.name, coarse_now());
  }
  known.list = frame.worker.catalogue.known(upstream.key(), kind);
  co_return known;
}

/// Servers that have what is looked for. One that its caller may use comes before all others.
struct Owners {
  std::vector<const ServerConfig*> usable;
  std::vector<const ServerConfig*> others;

  const std::vector<const ServerConfig*>& first() const { return usable.empty() ? others : usable; }
};

/// Of several owners nobody is asked, where the caller may use each of them.
void set_owner(CallFrame& frame, const Owners& owners, const std::string& uri) {
  const std::vector<const ServerConfig*>& first = owners.first();
  if (first.empty()) return;
  frame.target.is_collision = owners.usable.size() > 1;
  if (first.size() == 1 || frame.target.is_collision) set_target(frame, *first.front(), uri);
}

void add_owner(CallFrame& frame, Owners& owners, const ServerConfig& server, std::string_view uri) {
  const bool is_usable = frame.policy().shows(frame.principal(), TargetKind::resource, server.name,
                                              uri, any_call_of(frame));
  (is_usable ? owners.usable : owners.others).push_back(&server);
}

/// The servers that list the URI. `late` are those of which nobody knows yet.
Task<Owners> listing_servers(CallFrame& frame, const std::vector<const ServerConfig*>& bare,
                             std::string uri, std::vector<const ServerConfig*>& late) {
  Owners owners;
  for (const ServerConfig* server : bare) {
    const KnownList known = co_await list_of(frame, *server, ListKind::resources);
    bool is_listed = known.list != nullptr ? known.list->find(uri) != nullptr
                                           : frame.worker.gateway.seen_resources.lists(
                                                 server->name, ListKind::resources, uri);
    if (!is_listed && serves_skills(*frame.worker.directory, server->name)) {
      const KnownList skills = co_await list_of(frame, *server, ListKind::skills);
      is_listed = lists_skill_file(skills.list.get(), uri);
    }
    if (is_listed) add_owner(frame, owners, *server, uri);
    if (known.is_late && known.list == nullptr && !is_listed) late.push_back(server);
  }
  co_return owners;
}

/// The servers whose templates begin most like the URI.
Task<Owners> fitting_servers(CallFrame& frame, const std::vector<const ServerConfig*>& bare,
                             const std::vector<const ServerConfig*>& late, std::string uri) {
  Owners owners;
  std::size_t longest = 0;
  for (const ServerConfig* server : bare) {
    ServerListPtr templates;
    if (std::ranges::find(late, server) == late.end()) {
      templates = (co_await list_of(frame, *server, ListKind::resource_templates)).list;
    }
    std::size_t match = 0;
    if (templates == nullptr) {
      match = frame.worker.gateway.seen_resources.template_match(server->name, uri);
    } else {
      for (const ListedEntry& entry : templates->entries)
        match = std::max(match, template_match(entry.name, uri));
    }
    if (match == 0 || match < longest) continue;
    if (match > longest) owners = {};
    longest = match;
    add_owner(frame, owners, *server, uri);
  }
  co_return owners;
}

/// A bare URI: the one server that lists it, or else the one whose template begins most like it, or
/// else the only one that does not say in time what it has.
Task<void> resolve_bare_uri(CallFrame& frame, std::string uri) {
  const std::vector<const ServerConfig*> bare = bare_servers(frame);
  if (bare.size() == 1) co_return set_target(frame, *bare.front(), std::move(uri));
  std::vector<const ServerConfig*> late;
  const Owners listed = co_await listing_servers(frame, bare, uri, late);
  if (!listed.first().empty()) co_return set_owner(frame, listed, uri);
  const Owners fitting = co_await fitting_servers(frame, bare, late, uri);
  if (!fitting.first().empty()) co_return set_owner(frame, fitting, uri);
  if (late.size() == 1) set_target(frame, *late.front(), std::move(uri));
}

Task<void> resolve_resource(CallFrame& frame, std::string_view uri) {
  frame.call.target_kind = TargetKind::resource;
  frame.target.name = uri;
  frame.call.target = frame.target.name;
  const auto& servers = frame.snapshot().config.servers;
  if (const auto named = split_named_uri(uri)) {
    const auto found = servers.find(named->first);
    if (found != servers.end()) {
      frame.target.uri_form = UriForm::named;
      set_target(frame, found->second, std::string(named->second));
      return Task<void>::ready();
    }
  }
  if (const auto only = servers.find(frame.inbound.only_server); only != servers.end()) {
    set_target(frame, only->second, std::string(uri));
    return Task<void>::ready();
  }
  return resolve_bare_uri(frame, std::string(uri));
}

/// The task that a request names: it is for the task's server, and speaks of the task's tool.
void resolve_task(CallFrame& frame) {
  std::shared_ptr<OpenTask> task =
      find_own_task(frame, frame.message().params.find("taskId").text());
  if (task == nullptr) return;
  const TaskOrigin& origin = task->origin();
  set_target(frame, frame.snapshot().config.servers.find(origin.server)->second, origin.tool);
  frame.call.facts.names_own_task = true;
  frame.findings.task = detail_of_task(*task);
  frame.task.task = std::move(task);
}

/// The tasks that a subscription is about. What is none of the caller's is left out.
/// Source: MCP extension io.modelcontextprotocol/tasks, "Task Status Notifications".
void resolve_followed_tasks(CallFrame& frame) {
  for (const JsonValue id : frame.message().params.find("notifications").find("taskIds")) {
    if (frame.task.followed.size() >= limits::tasks_of_principal_max) return;
    if (auto task = find_own_task(frame, id.text())) frame.task.followed.push_back(std::move(task));
  }
}

/// Has the tool judged as its server takes it. False where its schema cannot be renamed.
bool rename_tool(CallFrame& frame, const MergedProfile& profile) {
  if (profile.renames.empty()) return true;
  auto sent = frame.worker.renamed_tools.find(frame.target.tool, profile.renames);
  if (sent == nullptr) return false;
  frame.target.sent_tool = std::move(sent);
  return true;
}

/// Takes the tool's definition from the list, if that has it.
bool take_tool(CallFrame& frame, const ServerList& list) {
  const ListedEntry* entry = list.find(frame.target.name);
  if (entry == nullptr) return false;
  frame.target.tool = entry->tool;
  frame.target.sent_tool = entry->tool;
  frame.target.quarantine = entry->flaw;
  bool is_quarantined = entry->quarantined;
  if (frame.target.is_collision) {
    frame.target.quarantine = "two tools have this name";
    is_quarantined = true;
  }
  const ToolProfiles& profiles = frame.policy().profiles();
  const bool may_rename = profiles.renames() && entry->tool != nullptr && !is_quarantined;
  if (may_rename && !rename_tool(frame, *profiles.find(frame.call))) {
    frame.target.quarantine =
        "its schema has both names of a renamed argument, or names it where it cannot be renamed";
    is_quarantined = true;
  }
  frame.call.facts.tool = frame.target.sent_tool.get();
  frame.call.facts.tool_quarantined = is_quarantined;
  frame.target.listed_in = list.beginning;
  return true;
}

/// Asks the server for the list that may have it, at most twice.
Task<void> look_for_tool(CallFrame& frame) {
  for (const auto freshness :
       {Catalogue::Freshness::usual, Catalogue::Freshness::refetch_if_older_than_a_second}) {
    const Result<ServerListPtr> list = co_await frame.worker.catalogue.get(
        frame.target.upstream, ListKind::tools, freshness, wait_of(frame));
    if (!list.has_value()) {
      frame.target.unavailable = list.error();
      co_return;
    }
    if (take_tool(frame, **list)) co_return;
  }
}

/// The call of a task is for the tool that was called, whoever has its name by now.
void resolve_origin(CallFrame& frame, const TaskOrigin& origin) {
  frame.call.target_kind = TargetKind::tool;
  const auto server = frame.snapshot().config.servers.find(origin.server);
  if (server == frame.snapshot().config.servers.end()) return set_name(frame, origin.tool);
  set_target(frame, server->second, origin.tool);
}

}  // namespace

Reason ambiguity_of(const CallFrame& frame) {
  const bool is_resource = frame.call.target_kind == TargetKind::resource;
  return is_resource && frame.target.is_collision ? Reason::resource_ambiguous : Reason::none;
}

bool may_matter(const CallFrame& frame) {
  return frame.policy().shows(frame.call);
}

UpstreamHandle upstream_for(CallFrame& frame, const ServerConfig& server) {
  // A snapshot has a definition of every server that its configuration names.
  return frame.worker.upstreams.handle(
      frame.snapshot().servers.find(server.name)->second,
      {.principal = frame.principal().id,
       .session = frame.session != nullptr ? std::string_view(frame.session->id) : "",
       .era = spoken_era(frame.worker, server.name, frame.inbound.era),
       .is_modern = frame.inbound.era == Era::modern});
}

Participation participation(const CallFrame& frame, const Snapshot& snapshot,
                            const Principal& principal) {
  const EvalContext of = any_call_at(seconds_now(), frame.call.facts.endpoint);
  Participation all;
  for (const auto& [name, definition] : snapshot.servers) {
    const ServerState* state = frame.worker.directory->find(name);
    if (state == nullptr || !state->is_up()) continue;
    if (is_server_blocked(frame.worker.gateway.revocations.get(), name)) continue;
    if (snapshot.policy->concerns(principal, name, of)) {
      all.emplace(name, definition->generation);
    }
  }
  return all;
}

std::vector<Participant> participants(CallFrame& frame) {
  std::vector<Participant> all;
  for (const auto& [name, config] : frame.snapshot().config.servers) {
    const ServerState* state = frame.worker.directory->find(name);
    if (state == nullptr || !state->is_up()) continue;
    if (!frame.policy().concerns(frame.principal(), name, any_call_of(frame))) continue;
    all.push_back({&config, upstream_for(frame, config)});
  }
  return all;
}

Task<void> resolve_target(CallFrame& frame) {
  if (frame.inbound.of_task != nullptr) {
    resolve_origin(frame, frame.inbound.of_task->origin());
    return Task<void>::ready();
  }
  const Message& message = frame.message();
  switch (frame.method()) {
    case MethodId::tools_call:
      return resolve_name(frame, ListKind::tools, TargetKind::tool, message.name.text());
    case MethodId::prompts_get:
      return resolve_name(frame, ListKind::prompts, TargetKind::prompt, message.name.text());
    case MethodId::resources_read:
    case MethodId::resources_subscribe:
    case MethodId::resources_unsubscribe:
    case MethodId::skills_get:
    case MethodId::resources_directory_read:
      return resolve_resource(frame, message.uri.text());
    case MethodId::completion_complete: {
      const JsonValue ref = message.params.find("ref");
      if (ref.find("type").text() == "ref/prompt") {
        return resolve_name(frame, ListKind::prompts, TargetKind::prompt, ref.find("name").text());
      }
      return resolve_resource(frame, ref.find("uri").text());
    }
    case MethodId::tasks_get:
    case MethodId::tasks_update:
    case MethodId::tasks_cancel:
      resolve_task(frame);
      return Task<void>::ready();
    case MethodId::subscriptions_listen:
      resolve_followed_tasks(frame);
      return Task<void>::ready();
    default:
      return Task<void>::ready();
  }
}

Task<void> find_tool(CallFrame& frame) {
  if (frame.method() != MethodId::tools_call || frame.target.server == nullptr) {
    return Task<void>::ready();
  }
  if (!may_matter(frame)) return Task<void>::ready();
  if (frame.target.circuit_retry) {
    // It is not asked, and what it listed last is all that is known.
    const ServerListPtr list =
        frame.worker.catalogue.known(frame.target.upstream.key(), ListKind::tools);
    if (list != nullptr) take_tool(frame, *list);
    return Task<void>::ready();
  }
  // Nearly always the list is at hand, and has it.
  const ServerList* const fresh =
      frame.worker.catalogue.fresh(frame.target.upstream.key(), ListKind::tools);
  if (fresh != nullptr && take_tool(frame, *fresh)) return Task<void>::ready();
  return look_for_tool(frame);
}

}  // namespace bartizan
