#include "gateway/catalogue/catalogue.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/parse_units.h"
#include "gateway/catalogue/report_unusable_tools.h"
#include "gateway/catalogue/tool_standings.h"
#include "gateway/runtime/clock.h"
#include "gateway/upstream/in_flight.h"
#include "gateway/upstream/own_answer.h"
#include "gateway/upstream/server_handshake.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a list is used without a `ttlMs` of the server, and the bounds of that value.
constexpr std::chrono::seconds kUsualFreshness{60};
constexpr std::chrono::hours kLongestFreshness{1};
constexpr std::chrono::seconds kShortestFreshness{1};
/// How long an unusable list is not requested again. Otherwise a list without end would be read to
/// its bound for every call.
constexpr std::chrono::seconds kUnusableFor{5};
/// An entry with known schemas counts as this fraction of the work.
constexpr std::size_t kKnownFraction = 4;

GatewayMessage own_message(ListKind kind) {
  switch (kind) {
    case ListKind::tools:
      return GatewayMessage::tools_list;
    case ListKind::prompts:
      return GatewayMessage::prompts_list;
    case ListKind::resources:
      return GatewayMessage::resources_list;
    case ListKind::resource_templates:
      return GatewayMessage::resources_templates_list;
    case ListKind::skills:
      return GatewayMessage::skills_list;
  }
  return GatewayMessage::tools_list;
}

/// A response that is not a list, as opposed to a server that failed to respond.
std::unexpected<Error> unusable(std::string detail) {
  return fail(ErrorCode::invalid_request, Fault::server, std::move(detail));
}

std::unexpected<Error> out_of_memory() {
  return fail(ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted");
}

std::string_view name_member(ListKind kind) {
  if (kind == ListKind::resources || kind == ListKind::skills) return "uri";
  return kind == ListKind::resource_templates ? "uriTemplate" : "name";
}

/// The name of an entry for everything except its server.
std::string listed_name(ListKind kind, JsonValue value) {
  const std::string_view own = value.find(name_member(kind)).text();
  return kind == ListKind::tools ? tool_name(own) : std::string(own);
}

ListedEntry begin_entry(ListKind kind, JsonValue value) {
  ListedEntry entry{.name = listed_name(kind, value), .raw = std::string(value.raw())};
  if (const JsonValue name = value.find(name_member(kind))) {
    const std::size_t start = value.range().begin;
    entry.name_range = {name.range().begin - start, name.range().end - start};
  }
  return entry;
}

bool is_flawed(const ListedEntry& entry) {
  return entry.quarantined || (entry.tool != nullptr && !entry.tool->schemas->is_usable(
                                                            SchemaOptions::Untranslatable::refuse));
}

/// Whether a usable tool's schemas need a log message.
bool is_doubtful(const ListedEntry& entry) {
  if (entry.tool == nullptr) return false;
  const ToolSchemas& schemas = *entry.tool->schemas;
  return !schemas.output_flaw().empty() || !schemas.notes().empty();
}

std::chrono::milliseconds freshness(JsonValue result) {
  const auto ttl = result.find("ttlMs").integer();
  if (!ttl.has_value()) return kUsualFreshness;
  return std::clamp<std::chrono::milliseconds>(
      std::chrono::milliseconds(std::max<std::int64_t>(*ttl, 0)), kShortestFreshness,
      kLongestFreshness);
}

}  // namespace

std::string_view list_method(ListKind kind) {
  switch (kind) {
    case ListKind::tools:
      return "tools/list";
    case ListKind::prompts:
      return "prompts/list";
    case ListKind::resources:
      return "resources/list";
    case ListKind::resource_templates:
      return "resources/templates/list";
    case ListKind::skills:
      return "skills/list";
  }
  return "tools/list";
}

std::string_view list_member(ListKind kind) {
  switch (kind) {
    case ListKind::tools:
      return "tools";
    case ListKind::prompts:
      return "prompts";
    case ListKind::resources:
      return "resources";
    case ListKind::resource_templates:
      return "resourceTemplates";
    case ListKind::skills:
      return "skills";
  }
  return "tools";
}

const ListedEntry* ServerList::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : &entries[found->second];
}

bool Catalogue::Slot::is_fresh(Freshness wanted) const {
  if (fetching || list == nullptr) return false;
  const auto age = coarse_now() - list->fetched;
  return age < (wanted == Freshness::usual ? list->fresh_for : kShortestFreshness);
}

Task<Result<ServerListPtr>> Catalogue::get(UpstreamHandle upstream, ListKind kind, Freshness wanted,
                                           std::chrono::milliseconds wait) {
  std::shared_ptr<Slot>& entry = slots_[Key{upstream.key(), kind}];
  if (entry == nullptr) entry = std::make_shared<Slot>();
  const std::shared_ptr<Slot> slot = entry;
  if (slot->is_fresh(wanted)) co_return slot->list;
  if (!slot->fetching && slot->failure.has_value() && coarse_now() < slot->retry_at) {
    co_return std::unexpected(*slot->failure);
  }
  // Before the fetch, which may end at once.
  auto waiter = std::make_shared<Signal>(loop_);
  slot->waiters.push_back(waiter);
  if (!slot->fetching) {
    slot->fetching = true;
    spawn(loop_, refresh(slot, std::move(upstream), kind));
  }
  const Signal::Woken woken = co_await waiter->wait(std::max(wait, std::chrono::milliseconds(1)));
  // Waiters woken earlier may have started another fetch; the result for this one is in `newest`.
  if (woken == Signal::Woken::timed_out) {
    co_return fail(ErrorCode::timed_out, Fault::server,
                   "the server did not list what it has within " + format_duration(wait));
  }
  if (slot->failure.has_value()) co_return std::unexpected(*slot->failure);
  co_return slot->newest;
}

/// Fetches for all waiters, and for later callers.
Task<void> Catalogue::refresh(std::shared_ptr<Slot> slot, UpstreamHandle upstream, ListKind kind) {
  slot->forgotten = false;
  Result<OwnList> list = co_await fetch(upstream, kind);
  slot->fetching = false;
  for (const Release& release : std::exchange(slot->released, {})) {
    if (list.has_value()) apply_release(**list, release);
  }
  slot->failure = list.has_value() ? std::nullopt : std::optional<Error>(list.error());
  // A server that is down may be back at once. An unusable list is likely to stay unusable.
  const bool is_unusable = !list.has_value() && list.error().code == ErrorCode::invalid_request;
  slot->retry_at =
      is_unusable && !slot->forgotten ? coarse_now() + kUnusableFor : Clock::time_point();
  if (list.has_value()) {
    report_unusable_tools(loop_, upstream.key().server, kind, **list, slot->newest.get());
    slot->newest = *list;
    ++revision_;
    slot->list = slot->forgotten ? nullptr : *list;
    learned_(upstream.key().server, kind, **list);
  }
  for (const auto& waiter : std::exchange(slot->waiters, {}))
    waiter->notify();
}

Task<Result<Catalogue::OwnList>> Catalogue::fetch(UpstreamHandle upstream, ListKind kind) {
  const Clock::time_point deadline = coarse_now() + limits::server_start_deadline;
  auto list = std::make_shared<ServerList>();
  std::string cursor;
  std::set<std::string> cursors;
  bool has_begun_anew = false;
  for (std::size_t page = 0; page < limits::catalogue_pages_max; ++page) {
    Result<std::string> next = co_await fetch_page(upstream, kind, cursor, *list, deadline);
    if (!next.has_value() && was_not_run(next.error()) && !std::exchange(has_begun_anew, true)) {
      // Entries from before the restart are not part of this list. Only one retry, since each costs
      // the server a handshake.
      list = std::make_shared<ServerList>();
      cursor.clear();
      cursors.clear();
      continue;
    }
    if (!next.has_value()) co_return std::unexpected(next.error());
    if (list->bytes > limits::catalogue_bytes_max) {
      co_return unusable("the server's list is too large");
    }
    if (!hold(memory_, list->memory, list->bytes)) co_return out_of_memory();
    list->is_circular = !next->empty() && !cursors.insert(*next).second;
    cursor = list->is_circular ? std::string() : std::move(*next);
    if (!cursor.empty()) continue;
    list->fetched = coarse_now();
    for (std::size_t place = 0; place < list->entries.size(); ++place) {
      if (is_flawed(list->entries[place])) list->flawed.push_back(place);
    }
    if (kind == ListKind::tools) drop_own_tools(*list);
    co_return list;
  }
  co_return unusable("the server's list has no end");
}

Result<Catalogue::ReadEntry> Catalogue::read_entry(const UpstreamHandle& upstream, ListKind kind,
                                                   JsonValue value) {
  ListedEntry entry = begin_entry(kind, value);
  entry.is_suspect = suspects_(value);
  if (kind == ListKind::skills) {
    auto skill = std::make_shared<const SkillEntry>(read_skill_entry(value));
    entry.quarantined = !skill->flaw.empty();
    entry.flaw = skill->flaw;
    entry.skill = std::move(skill);
  }
  if (kind != ListKind::tools) return ReadEntry{.entry = std::move(entry)};
  Result<ToolDefinition> tool =
      read_tool_definition(value, upstream.key().era, upstream.volatile_members());
  if (tool.has_value()) {
    return read_tool(upstream, value, std::move(*tool), std::move(entry));
  }
  entry.quarantined = true;
  entry.flaw = std::move(tool.error().detail);
  entry.raw.clear();
  return ReadEntry{.entry = std::move(entry)};
}

/// Gives the tool its schemas, from the cache or compiled now. For a tool that no policy can use,
/// only the name and the reason are kept.
Result<Catalogue::ReadEntry> Catalogue::read_tool(const UpstreamHandle& upstream, JsonValue value,
                                                  ToolDefinition tool, ListedEntry entry) {
  // Per server, so that an unusable tool is logged once for each server that lists it.
  const std::string& server = upstream.key().server;
  // By the fingerprint that covers all of the schemas, including volatile members.
  const std::string key = server + "/" + tool.fingerprint_v1;
  tool.schemas = schemas_.find(key);
  const bool is_new = tool.schemas == nullptr;
  if (is_new) tool.schemas = schemas_.keep(key, ToolSchemas::read(value));
  if (tool.schemas == nullptr) return out_of_memory();
  const bool is_sound = tool.schemas->is_usable(SchemaOptions::Untranslatable::refuse);
  if (!is_sound && !tool.schemas->is_usable(SchemaOptions::Untranslatable::leave_out)) {
    tool.raw.clear();
    entry.raw.clear();
  } else {
    // A tool that nobody can call needs no comparison.
    const SeenServer seen{.name = server,
                          .program = upstream.program(),
                          .volatile_members = upstream.volatile_members()};
    tool.standing = seen_.take(seen, tool, value);
    if (tool.standing == nullptr) return out_of_memory();
  }
  entry.tool = std::make_shared<const ToolDefinition>(std::move(tool));
  return ReadEntry{.entry = std::move(entry), .is_new = is_new};
}

/// Adds the entries of one page. The first entry of a repeated name stands, as in official clients,
/// so the same tool is judged and listed. Reading many entries takes long, so it yields in between.
Task<Result<void>> Catalogue::add_entries(const UpstreamHandle& upstream, ListKind kind,
                                          JsonValue array, ServerList& list) {
  std::size_t worked = 0;
  for (const JsonValue value : array) {
    if (list.entries.size() >= limits::catalogue_entries_max) {
      co_return unusable("the server lists too many entries");
    }
    const bool has_name = value.find(name_member(kind)).is(JsonType::string);
    // A tool without a name is reported, like any other unusable one.
    if (!has_name && kind != ListKind::tools) continue;
    if (const auto known = list.by_name.find(listed_name(kind, value));
        known != list.by_name.end()) {
      list.repeated.insert(known->second);
      continue;
    }
    Result<ReadEntry> read = read_entry(upstream, kind, value);
    if (!read.has_value()) co_return std::unexpected(read.error());
    ListedEntry& entry = read->entry;
    if (entry.tool != nullptr) list.compiled_bytes += entry.tool->schemas->memory();
    // A tool's definition holds the entry's text a second time, and `by_name` the name.
    list.bytes += 2 * (entry.raw.size() + entry.name.size()) + entry.flaw.size();
    if (list.bytes > limits::catalogue_bytes_max) {
      co_return unusable("the server's list is too large");
    }
    if (read->is_new && (is_flawed(entry) || is_doubtful(entry)))
      list.newly_flawed.push_back(list.entries.size());
    // An entry with known schemas is only read and searched.
    worked += read->is_new ? value.raw().size() : value.raw().size() / kKnownFraction;
    list.by_name.emplace(entry.name, list.entries.size());
    list.entries.push_back(std::move(entry));
    if (list.compiled_bytes > limits::catalogue_compiled_bytes_max) {
      co_return unusable("the schemas of the server's list are too large");
    }
    if (worked < limits::schema_turn_bytes) continue;
    worked = 0;
    co_await yield_turn(loop_);
  }
  co_return Result<void>();
}

/// Returns the next cursor as JSON text, or nothing at the end of the list.
Task<Result<std::string>> Catalogue::fetch_page(const UpstreamHandle& upstream, ListKind kind,
                                                const std::string& cursor, ServerList& list,
                                                Clock::time_point deadline) {
  const Result<void> recorded =
      co_await record_own_(upstream.key(), std::string(list_method(kind)));
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  const std::string member = cursor.empty() ? "" : "\"cursor\":" + cursor;
  const std::string params = upstream.key().era == Era::modern
                                 ? modern_list_params(member)
                                 : (member.empty() ? "" : "{" + member + "}");
  auto pending = std::make_shared<PendingCall>(loop_);
  upstream.call(own_request(own_message(kind), list_method(kind), params), pending);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - coarse_now());
    Result<ReceivedMessage> received =
        co_await pending->next(std::max(left, std::chrono::milliseconds(1)));
    if (!received.has_value()) {
      if (received.error().code == ErrorCode::timed_out) upstream.cancel(pending);
      co_return std::unexpected(received.error());
    }
    if (!received->message.is_answer()) {
      // A server may send its client a request before it lists, and wait for the response.
      auto answer = own_answer(upstream.key().era, received->message, kNoClientsRequest);
      if (answer.has_value()) upstream.answer(*std::move(answer), pending->beginning());
      continue;
    }
    if (cursor.empty()) list.beginning = pending->beginning();
    if (list.beginning != pending->beginning()) co_return std::unexpected(begun_anew());
    const JsonValue result = received->message.result;
    const JsonValue array = result.find(list_member(kind));
    const JsonValue type = result.find("resultType");
    if (type && type.text() != "complete")
      co_return unusable("the server's list is of no known type");
    if (!array.is(JsonType::array)) {
      const bool none = received->message.error.find("code").integer() == -32601;
      if (none) co_return std::string();  // The server does not have such a list.
      co_return unusable("the server's list is not a list");
    }
    const Result<void> added = co_await add_entries(upstream, kind, array, list);
    if (!added.has_value()) co_return std::unexpected(added.error());
    list.fresh_for = freshness(result);
    const JsonValue next = result.find("nextCursor");
    if (next.raw().size() > limits::cursor_bytes_max) {
      co_return unusable("the server's cursor is too long");
    }
    // Legacy servers write an empty cursor for none.
    const bool is_end = upstream.key().era == Era::legacy && next.text().empty();
    std::string text =
        next.is(JsonType::string) && !is_end ? std::string(next.raw()) : std::string();
    loop_.give_back(std::move(received->document));
    co_return text;
  }
}

void Catalogue::forget(std::string_view server, ListKind kind) {
  for (auto& [key, slot] : slots_) {
    if (key.instance.server != server || key.kind != kind) continue;
    slot->list = nullptr;
    slot->forgotten = true;
    slot->retry_at = {};
  }
}

void Catalogue::release(const Release& release) {
  for (auto& [key, slot] : slots_) {
    const bool is_its = key.instance.server == release.server && key.kind == ListKind::tools &&
                        key.instance.generation == release.generation;
    if (!is_its) continue;
    if (slot->newest != nullptr) apply_release(*slot->newest, release);
    if (slot->fetching) slot->released.push_back(release);
  }
  ++revision_;
  forget(release.server, ListKind::tools);
}

const ServerList* Catalogue::fresh(const InstanceKey& instance, ListKind kind) const {
  const auto found = slots_.find(KeyView{instance, kind});
  const bool is_at_hand = found != slots_.end() && found->second->is_fresh(Freshness::usual);
  return is_at_hand ? found->second->list.get() : nullptr;
}

ServerListPtr Catalogue::known(const InstanceKey& instance, ListKind kind) const {
  const auto found = slots_.find(KeyView{instance, kind});
  return found == slots_.end() ? nullptr : found->second->newest;
}

std::vector<std::pair<std::string, ServerListPtr>> Catalogue::newest(ListKind kind) const {
  std::vector<std::pair<std::string, ServerListPtr>> lists;
  for (const auto& [key, slot] : slots_) {
    if (key.kind == kind && slot->newest != nullptr) {
      lists.emplace_back(key.instance.server, slot->newest);
    }
  }
  return lists;
}

void Catalogue::keep_only(const ServerDefinitions& servers) {
  std::erase_if(slots_, [&](const auto& entry) {
    const auto found = servers.find(entry.first.instance.server);
    const bool is_current =
        found != servers.end() && found->second->generation == entry.first.instance.generation;
    return !is_current;  // Fetches and waiters hold it.
  });
  ++revision_;
}

void Catalogue::forget_owner(std::string_view owner) {
  std::erase_if(slots_, [&](const auto& entry) {
    return entry.first.instance.owner == owner;  // As above.
  });
  ++revision_;
}

}  // namespace bartizan
