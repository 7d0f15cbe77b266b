#include "gateway/view.h"

#include <set>
#include <utility>

#include "gateway/naming.h"
#include "schemas/write_message.h"

namespace bartizan {
namespace {

/// One side of the comparison, for one caller.
struct Side {
  const View& view;
  const Principal* principal;
  Era era;

  /// What the server said of itself, if it takes part for that caller.
  const ServerIntroduction* introduction(std::string_view server) const {
    if (principal == nullptr || !view.snapshot->servers.contains(server)) return nullptr;
    const ServerState* state = view.directory->find(server);
    if (state == nullptr || !state->in(era).has_value()) return nullptr;
    if (!view.snapshot->policy->concerns(*principal, server, seconds_now())) return nullptr;
    return &*state->in(era);
  }
};

Side side_of(const View& view, const InstanceCaller& caller) {
  return {view, view.snapshot->policy->find_principal(caller.principal), caller.era};
}

void add(ChangedLists& changed, const ServerIntroduction* server) {
  if (server == nullptr) return;
  const Offered offered = offered_by(*server);
  changed.tools |= offered.tools;
  changed.prompts |= offered.prompts;
  changed.resources |= offered.resources;
}

TargetKind target_of(ListKind kind) {
  if (kind == ListKind::tools) return TargetKind::tool;
  return kind == ListKind::prompts ? TargetKind::prompt : TargetKind::resource;
}

/// The names of a server's list as that side shows them.
std::set<std::string> shown(const Side& side, const ServerList& list, ListKind kind,
                            const std::string& server) {
  std::set<std::string> names;
  const ServerConfig& config = side.view.snapshot->config.servers.find(server)->second;
  const bool has_names = kind == ListKind::tools || kind == ListKind::prompts;
  for (const ListedEntry& entry : list.entries) {
    if (entry.quarantined) continue;
    if (!side.view.snapshot->policy->shows(*side.principal, target_of(kind), server, entry.name,
                                           seconds_now())) {
      continue;
    }
    names.insert(has_names ? exposed_name(config, entry.name) : entry.name);
  }
  return names;
}

/// Adds what changed of a server that is the same on both sides, by the lists that are known.
void compare(Worker& worker, const Side& before, const Side& now, const InstanceKey& key,
             ChangedLists& changed) {
  const auto differs = [&](ListKind kind) {
    const ServerListPtr list = worker.catalogue.known(key, kind);
    return list != nullptr &&
           shown(before, *list, kind, key.server) != shown(now, *list, kind, key.server);
  };
  changed.tools = changed.tools || differs(ListKind::tools);
  changed.prompts = changed.prompts || differs(ListKind::prompts);
  changed.resources =
      changed.resources || differs(ListKind::resources) || differs(ListKind::resource_templates);
}

}  // namespace

ChangedLists changed_lists(Worker& worker, const View& before, const InstanceCaller& caller) {
  ChangedLists changed;
  const View present{worker.snapshot, worker.directory};
  const Side was = side_of(before, caller);
  const Side is = side_of(present, caller);
  for (const auto& [name, definition] : before.snapshot->servers) {
    const auto same = present.snapshot->servers.find(name);
    const bool stayed = same != present.snapshot->servers.end() &&
                        same->second->generation == definition->generation;
    const ServerIntroduction* then = was.introduction(name);
    const ServerIntroduction* now = is.introduction(name);
    if (stayed && then != nullptr && now != nullptr) {
      compare(worker, was, is, worker.upstreams.handle(definition, caller).key(), changed);
    } else {
      add(changed, then);
      add(changed, now);
    }
  }
  for (const auto& [name, definition] : present.snapshot->servers) {
    if (!before.snapshot->servers.contains(name)) add(changed, is.introduction(name));
  }
  return changed;
}

void tell_changed_lists(Worker& worker) {
  const View before = std::exchange(worker.told, {worker.snapshot, worker.directory});
  worker.sessions.for_each([&](Session& session) {
    if (session.stream == nullptr) return;
    const ChangedLists changed =
        changed_lists(worker, before,
                      {.principal = session.principal, .session = session.id, .era = Era::legacy});
    // Nothing that the gateway did not say it would send.
    if (changed.tools && session.offered.tools) session.stream->send(changed_tools({}));
    if (changed.prompts && session.offered.prompts) session.stream->send(changed_prompts({}));
    if (changed.resources && session.offered.resources) session.stream->send(changed_resources({}));
  });
}

std::string changed_tools(std::string_view params) {
  return write_notification("notifications/tools/list_changed", params);
}

std::string changed_prompts(std::string_view params) {
  return write_notification("notifications/prompts/list_changed", params);
}

std::string changed_resources(std::string_view params) {
  return write_notification("notifications/resources/list_changed", params);
}

}  // namespace bartizan
