#include "gateway/worker/list_changes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gateway/catalogue/naming.h"
#include "gateway/runtime/clock.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

void add(ChangedLists& changed, const ServerHandshake* server) {
  if (server == nullptr) return;
  const AdvertisedFeatures offered = offered_by(*server);
  changed.tools |= offered.tools;
  changed.prompts |= offered.prompts;
  changed.resources |= offered.resources;
}

void add(ChangedLists& changed, const ChangedLists& more) {
  changed.tools |= more.tools;
  changed.prompts |= more.prompts;
  changed.resources |= more.resources;
}

void add(ChangedLists& changed, ListKind kind) {
  changed.tools |= kind == ListKind::tools;
  changed.prompts |= kind == ListKind::prompts;
  changed.resources |= kind == ListKind::resources || kind == ListKind::resource_templates;
}

TargetKind target_of(ListKind kind) {
  if (kind == ListKind::tools) return TargetKind::tool;
  return kind == ListKind::prompts ? TargetKind::prompt : TargetKind::resource;
}

}  // namespace

/// One side of the comparison, for one caller.
struct ListChanges::Side {
  const View& view;
  PrincipalPtr principal;  ///< As the view knows it; null where it does not.
  std::optional<std::string> endpoint;
  Era era;

  EvalContext context() const { return any_call_at(seconds_now(), endpoint); }

  /// What the server said of itself, if it takes part for that caller.
  const ServerHandshake* introduction(std::string_view server) const {
    if (principal == nullptr || !view.snapshot->servers.contains(server)) return nullptr;
    const ServerState* state = view.directory->find(server);
    if (state == nullptr || !state->is_up()) return nullptr;
    if (!view.snapshot->policy->concerns(*principal, server, context())) return nullptr;
    return &*state->said_for(era);
  }
  bool shows(ListKind kind, const std::string& server, const ListedEntry& entry) const {
    if (entry.tool != nullptr) {
      return view.snapshot->policy->shows(*principal, server, *entry.tool, context());
    }
    return view.snapshot->policy->shows(*principal, target_of(kind), server, entry.name, context());
  }
  /// What stands in front of names of that list; nothing for what has none.
  std::string prefix(ListKind kind, const std::string& server) const {
    const bool has_names = kind == ListKind::tools || kind == ListKind::prompts;
    if (!has_names) return {};
    return prefix_of(view.snapshot->config.servers.find(server)->second);
  }
};

ListChanges::ListChanges(Worker& worker, View before)
    : worker_(worker), before_(std::move(before)), now_{worker.snapshot, worker.directory} {}

ListChanges::Side ListChanges::side_of(const View& view, const Principal& principal,
                                       const std::optional<std::string>& endpoint, Era era) {
  return {view, view.snapshot->authenticator.rebind(principal), endpoint, era};
}

/// Made when it is first asked for: most views differ by their servers alone.
const EqualLists& ListChanges::same_views(const Config& was, const Config& is) {
  if (!same_views_.has_value()) same_views_.emplace(was, is);
  return *same_views_;
}

/// Whether both configurations say the same about a server's lists and names.
bool ListChanges::is_said_alike(const std::string& server) {
  if (before_.snapshot == now_.snapshot) return true;
  const auto [found, is_new] = said_alike_.try_emplace(server, false);
  if (!is_new) return found->second;
  const Config& was = before_.snapshot->config;
  const Config& is = now_.snapshot->config;
  const ServerConfig& old = was.servers.find(server)->second;
  const ServerConfig& present = is.servers.find(server)->second;
  found->second = prefix_of(old) == prefix_of(present) && was.registrations == is.registrations &&
                  (was.digest == is.digest || same_views(was, is).has(server));
  return found->second;
}

/// What changed of a server that is the same on both sides, by the lists that are known.
Task<ChangedLists> ListChanges::compare(const Side& was, const Side& is, InstanceKey key) {
  if (is_said_alike(key.server)) co_return ChangedLists{};
  const auto known = compared_.find({is.principal, is.endpoint, key});
  if (known != compared_.end()) co_return known->second;
  ChangedLists changed;
  for (const ListKind kind :
       {ListKind::tools, ListKind::prompts, ListKind::resources, ListKind::resource_templates}) {
    const ServerListPtr list = worker_.catalogue.known(key, kind);
    if (list == nullptr) continue;
    const bool is_renamed = was.prefix(kind, key.server) != is.prefix(kind, key.server);
    const bool differs = std::ranges::any_of(list->entries, [&](const ListedEntry& entry) {
      if (entry.quarantined) return false;
      const bool is_shown = is.shows(kind, key.server, entry);
      return is_shown != was.shows(kind, key.server, entry) || (is_shown && is_renamed);
    });
    if (differs) add(changed, kind);
    co_await yield_turn(worker_.loop);
  }
  compared_.emplace(std::tuple(is.principal, is.endpoint, key), changed);
  co_return changed;
}

Task<ChangedLists> ListChanges::changed_for(PrincipalPtr principal,
                                            std::optional<std::string> endpoint,
                                            std::string session, Era era) {
  ChangedLists changed;
  const Side was = side_of(before_, *principal, endpoint, era);
  const Side is = side_of(now_, *principal, endpoint, era);
  for (const auto& [name, definition] : before_.snapshot->servers) {
    const auto same = now_.snapshot->servers.find(name);
    const bool stayed =
        same != now_.snapshot->servers.end() && same->second->generation == definition->generation;
    const ServerHandshake* then = was.introduction(name);
    const ServerHandshake* now = is.introduction(name);
    const bool is_there = then != nullptr && now != nullptr;
    if (stayed && is_there && then->capabilities == now->capabilities) {
      const InstanceCaller caller{.principal = principal->id,
                                  .session = session,
                                  .era = spoken_era(worker_, name, era),
                                  .is_modern = era == Era::modern};
      add(changed, co_await compare(was, is, worker_.upstreams.handle(definition, caller).key()));
    } else {
      add(changed, then);
      add(changed, now);
    }
  }
  for (const auto& [name, definition] : now_.snapshot->servers) {
    if (!before_.snapshot->servers.contains(name)) add(changed, is.introduction(name));
  }
  co_return changed;
}

Task<void> tell_changed_lists(Worker& worker) {
  const auto since = worker.viewed_since;
  const View before =
      std::exchange(worker.last_announced_view, {worker.snapshot, worker.directory});
  ListChanges comparison(worker, before);
  const std::vector<std::shared_ptr<Session>> sessions = worker.sessions.all();
  for (const std::shared_ptr<Session>& session : sessions) {
    if (session->stream == nullptr || session->begun >= since) continue;
    const ChangedLists changed = co_await comparison.changed_for(
        session->principal, session->endpoint, session->id, Era::legacy);
    co_await yield_turn(worker.loop);
    if (session->stream == nullptr) continue;  // It has ended meanwhile.
    // Nothing that the gateway did not say it would send.
    if (changed.tools && session->offered.tools) session->stream->send(changed_tools({}));
    if (changed.prompts && session->offered.prompts) session->stream->send(changed_prompts({}));
    if (changed.resources && session->offered.resources) {
      session->stream->send(changed_resources({}));
    }
  }
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
