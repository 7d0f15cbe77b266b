// Lists, as their caller may see them, and what an endpoint has its clients search for in them.
#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "gateway/call/asked_tool.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/discovery.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/redact_message.h"
#include "gateway/call/resource_names.h"
#include "gateway/catalogue/naming.h"
#include "gateway/dialect/groundhog_tool.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/upstream/server_handshake.h"
#include "gateway/worker/redact_text.h"
#include "policy/check/check_access.h"
#include "policy/check/check_features.h"
#include "policy/check/listed_tool.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

TargetKind target_of(ListKind kind) {
  if (kind == ListKind::tools) return TargetKind::tool;
  return kind == ListKind::prompts ? TargetKind::prompt : TargetKind::resource;
}

bool has_names(ListKind kind) {
  return kind == ListKind::tools || kind == ListKind::prompts;
}

/// A listed entry as this client sees it.
struct Shown {
  std::string exposed;
  const ServerConfig* server;
  const ListedEntry* entry;
};

/// Names that one worker logs, once each.
constexpr std::size_t kCollisionsMax = 1024;

/// What an entry costs beside its bytes: policy is asked about it.
constexpr std::size_t kUnitsPerEntry = 128;

/// Counts that a part of a list was looked through or written. Awaited, it lets others have their
/// turn where that was enough for now: a list of thousands of entries takes many turns.
Slices::Wait next_slice(CallFrame& frame, std::size_t units) {
  const std::uint64_t caller = std::hash<std::string>()(frame.principal().id);
  return frame.worker.slices.spend(caller, units);
}

/// The text of the entries as it is written, and the answer that it is copied to.
std::size_t bytes_of(const std::vector<Shown>& shown) {
  std::size_t bytes = 0;
  for (const Shown& one : shown)
    bytes += one.entry->raw.size() + one.exposed.size();
  return 2 * bytes;
}

/// Whether it is the first time that the worker logs it: every list would say it again. Of so many
/// that they are not remembered, no more are logged.
bool is_first(Worker& worker, const Shown& shown) {
  if (worker.told_collisions.size() >= kCollisionsMax) return false;
  return worker.told_collisions.emplace(shown.server->name, shown.exposed).second;
}

/// Leaves out names that two servers have: neither can be called, so neither is shown.
void drop_collisions(Worker& worker, std::vector<Shown>& shown) {
  std::unordered_map<std::string_view, std::size_t> count;
  for (const Shown& one : shown)
    ++count[one.exposed];
  std::vector<Shown> kept;
  for (const Shown& one : shown) {
    if (count[one.exposed] == 1) {
      kept.push_back(one);
      continue;
    }
    if (!is_first(worker, one)) continue;
    log(LogLevel::warning, "name collision",
        {{"name", redact_line(worker, one.server->name, one.exposed)},
         {"server", one.server->name}});
  }
  shown = std::move(kept);
}

/// Puts the server into URIs that would not say by themselves which server is meant.
void name_servers(Worker& worker, ListKind kind, const ResourceNames& names,
                  std::vector<Shown>& shown) {
  for (Shown& one : shown) {
    const std::string& own = one.entry->name;
    if (names.is_contested(*one.server, kind, own) && is_first(worker, one)) {
      log(LogLevel::warning, "two servers list one resource",
          {{"uri", redact_line(worker, one.server->name, own)},
           {"server", one.server->name},
           {"hint", "resource_uris = \"named\" for all servers but one"}});
    }
    one.exposed = names.shown(*one.server, kind, own);
  }
}

/// The entry under the name that its client knows; nothing where it cannot be shown so.
std::optional<std::string> named_entry(const CallFrame& frame, ListKind kind, const Shown& shown) {
  const ListedEntry& entry = *shown.entry;
  if (kind == ListKind::skills && shown.exposed != entry.name) {
    return with_named_files(*shown.server, entry.raw);
  }
  if (kind == ListKind::tools) {
    const auto profile = frame.policy().profile(shown.server->name, entry.name);
    const bool shows_output = shows_output_schema(*entry.tool, profile->untranslatable);
    if (profile->rewrites.forces() || entry.tool->has_nulls || !shows_output) {
      return listed_tool(entry.raw, shown.exposed, profile->rewrites,
                         shows_output ? ListedOutputSchema::shown : ListedOutputSchema::left_out);
    }
  }
  std::string out = entry.raw.substr(0, entry.name_range.begin);
  append_json_string(out, shown.exposed);
  out += std::string_view(entry.raw).substr(entry.name_range.end);
  return out;
}

/// The entry as its client may see it; nothing where it may not.
std::optional<std::string> shown_entry(CallFrame& frame, ListKind kind, const Shown& shown,
                                       const ResourceNames& names) {
  std::optional<std::string> entry = named_entry(frame, kind, shown);
  if (entry.has_value() && kind == ListKind::tools) {
    entry = with_shown_links(names, *shown.server, *std::move(entry));
  }
  if (!entry.has_value() || !frame.worker.catalogue.is_suspect(*shown.entry)) return entry;
  const std::string_view tool = kind == ListKind::tools ? shown.entry->name : std::string_view();
  return redact_definition(frame, shown.server->name, tool, *entry);
}

ListKind list_of(MethodId method) {
  switch (method) {
    case MethodId::prompts_list:
      return ListKind::prompts;
    case MethodId::resources_list:
      return ListKind::resources;
    case MethodId::resources_templates_list:
      return ListKind::resource_templates;
    case MethodId::skills_list:
      return ListKind::skills;
    default:
      return ListKind::tools;
  }
}

bool is_shown(const CallFrame& frame, ListKind kind, std::string_view server,
              const ListedEntry& entry) {
  const RevocationTable* revocations = frame.worker.gateway.revocations.get();
  const bool is_blocked = kind == ListKind::tools ? is_tool_blocked(revocations, server, entry.name)
                                                  : is_server_blocked(revocations, server);
  if (is_blocked) return false;
  EvalContext of = circumstances_of(frame.call);
  of.about = EvalContext::About::any_call;
  of.method.reset();
  if (kind == ListKind::tools) of.method = "tools/call";
  of.tool = entry.tool.get();
  if (entry.tool != nullptr) {
    return frame.policy().shows(frame.principal(), server, *entry.tool, of);
  }
  return frame.policy().shows(frame.principal(), target_of(kind), server, entry.name, of);
}

/// Nobody waits for the list any more, or an operator does not let it go on.
Task<void> end_cancelled_list(CallFrame& frame) {
  if (Decision refusal = operator_refusal(frame); refusal.denies()) {
    co_return co_await refuse_call(frame, {"operator", std::move(refusal)});
  }
  static_cast<void>(co_await record_outcome(frame, {Outcome::cancelled, Reason::none}));
  frame.exchange->finish({});
}

/// How well a tool fits a search, by its definition as its server wrote it.
std::size_t fit_of(const Shown& shown, const ToolSearch& search) {
  if (!search.name.empty()) return shown.exposed == search.name ? 1 : 0;
  const Bytes bytes{std::string_view(shown.entry->raw)};
  JsonDocument document;
  const JsonValue tool = document.read(bytes, kResponseLimits).value_or(JsonValue());
  return bartizan::fit_of({.name = shown.exposed,
                           .title = tool.find("title").text(),
                           .description = tool.find("description").text()},
                          search.words);
}

/// What a search answers of a tool: enough to choose by. Input: the definition as clients see it.
std::string found_entry(std::string_view definition) {
  const Bytes bytes{definition};
  JsonDocument document;
  const JsonValue tool = document.read(bytes, kResponseLimits).value_or(JsonValue());
  std::string entry = "{";
  for (const std::string_view member : {"name", "title", "description"}) {
    const JsonValue value = tool.find(member);
    if (!value.is(JsonType::string)) continue;
    if (entry.size() > 1) entry += ',';
    entry += json_string(member) + ":" + std::string(value.raw());
  }
  return entry + "}";
}

/// Answers a search in the tools that the caller may call, best first, or describes one of them.
Task<void> answer_search(CallFrame& frame, std::vector<Shown> shown, const ResourceNames& names) {
  const ToolSearch& search = *frame.search;
  std::vector<std::pair<std::size_t, const Shown*>> fits;
  for (const Shown& one : shown) {
    co_await next_slice(frame, kUnitsPerEntry + one.entry->raw.size());
    if (frame.pending->has_ended()) co_return co_await end_cancelled_list(frame);
    if (const std::size_t fit = fit_of(one, search); fit > 0) fits.emplace_back(fit, &one);
  }
  std::ranges::sort(fits, [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first
                                    : one.second->exposed < other.second->exposed;
  });
  // Others may ask for lists while this one is written, so that each holds what it takes.
  MemoryShares::Held memory;
  std::size_t bytes = 0;
  for (const auto& [fit, one] : std::span(fits).first(std::min(search.most, fits.size())))
    bytes += one->entry->raw.size();
  if (!memory.hold(frame.worker.gateway.unread, frame.principal().id, 2 * bytes)) {
    co_return co_await refuse_call(frame, Reason::overloaded);
  }
  std::vector<std::string> entries;
  for (const auto& [fit, one] : fits) {
    if (entries.size() == search.most) break;
    co_await next_slice(frame, kUnitsPerEntry + one->entry->raw.size());
    if (frame.pending->has_ended()) co_return co_await end_cancelled_list(frame);
    auto entry = shown_entry(frame, ListKind::tools, *one, names);
    if (!entry.has_value()) continue;
    if (search.form == ToolSearch::Form::groundhog) {
      entries.push_back(asked_tool_entry(frame, *one->server, one->entry->name, *entry));
    } else {
      entries.push_back(search.name.empty() ? found_entry(*entry) : *std::move(entry));
    }
  }
  if (search.form == ToolSearch::Form::groundhog) {
    const std::chrono::duration<double> taken = steady_now() - frame.inbound.received_at;
    const std::string listed = groundhog_list_result(entries, fits.size(), taken.count());
    co_await finish_with_result(frame, listed + result_ending(frame), {}, std::move(memory));
    co_return;
  }
  const std::string result = search.name.empty()
                                 ? found_tools_result(entries, fits.size())
                                 : described_tool_result(entries.empty() ? "" : entries.front());
  co_await finish_with_result(frame, result + result_ending(frame), {}, std::move(memory));
}

}  // namespace

std::string result_ending(CallFrame& frame) {
  if (frame.inbound.era == Era::legacy) return "}";
  return R"(,"resultType":"complete","ttlMs":0,"cacheScope":"private",)"
         R"("_meta":{"io.modelcontextprotocol/serverInfo":)" +
         shown_identity(frame) + "}}";
}

Task<void> answer_list(CallFrame& frame) {
  const ListKind kind = list_of(frame.method());
  if (kind == ListKind::tools && !frame.search.has_value() &&
      is_searched(frame.snapshot(), frame.inbound.caller.credential.endpoint)) {
    std::string three = R"({"tools":[)" + std::string(search_tool_definitions());
    three += "]" + result_ending(frame);
    co_await finish_with_result(frame, three);
    co_return;
  }
  if (frame.search.has_value() && !frame.search->fault.empty()) {
    const std::string result = unsearched_result(frame.search->fault);
    co_await finish_with_result(frame, result + result_ending(frame));
    co_return;
  }
  // Lists leave as one page, so no cursor was ever given out and none is valid.
  if (frame.message().cursor) co_return co_await refuse_call(frame, Reason::invalid_params);
  // Asks for less of what the caller may see, never for more.
  ListFilter filter;
  if (kind == ListKind::tools) {
    const auto read = read_list_filter(frame.message().params);
    if (!read.has_value()) co_return co_await refuse_call(frame, Denial{"gateway", read.error()});
    filter = *read;
  }
  if (frame.pending->has_ended()) co_return co_await end_cancelled_list(frame);
  std::vector<Shown> shown;
  std::vector<ServerListPtr> lists;  // What `shown` points into.
  for (const Participant& one : participants(frame)) {
    if (is_server_blocked_now(frame, one.config->name)) continue;  // Nothing of it is shown.
    if (kind == ListKind::skills && !serves_skills(*frame.worker.directory, one.config->name)) {
      continue;
    }
    const Result<ServerListPtr> list = co_await frame.worker.catalogue.get(one.upstream, kind);
    if (!list.has_value()) {
      log(LogLevel::warning, "list failed",
          {{"server", one.config->name}, {"detail", list.error().detail}});
      continue;
    }
    // It is told when they change, as a client of its era expects.
    if (frame.inbound.era == Era::legacy && one.upstream.key().era == Era::modern) {
      one.upstream.hear();
    }
    lists.push_back(*list);
    for (const ListedEntry& entry : (*list)->entries) {
      co_await next_slice(frame, kUnitsPerEntry);
      if (frame.pending->has_ended()) co_return co_await end_cancelled_list(frame);
      if (entry.quarantined) continue;
      if (!is_shown(frame, kind, one.config->name, entry)) continue;
      if (!frame.policy().fits(filter, one.config->name, entry.name)) continue;
      shown.push_back({has_names(kind) ? exposed_name(*one.config, entry.name) : entry.name,
                       one.config, &entry});
    }
  }
  // Once all lists are here: which URIs two servers have shows only then.
  const ResourceNames names(frame);
  if (has_names(kind)) {
    drop_collisions(frame.worker, shown);
  } else {
    name_servers(frame.worker, kind, names, shown);
  }
  if (frame.search.has_value()) co_return co_await answer_search(frame, std::move(shown), names);
  // Others may ask for lists while this one is written, so that each holds what it takes.
  MemoryShares::Held memory;
  if (!memory.hold(frame.worker.gateway.unread, frame.principal().id, bytes_of(shown))) {
    co_return co_await refuse_call(frame, Reason::overloaded);
  }
  std::string result = "{\"";
  result += list_member(kind);
  result += "\":[";
  bool is_beginning = true;
  for (const Shown& one : shown) {
    co_await next_slice(frame, kUnitsPerEntry + one.entry->raw.size());
    if (frame.pending->has_ended()) co_return co_await end_cancelled_list(frame);
    const auto entry = shown_entry(frame, kind, one, names);
    if (!entry.has_value()) continue;
    if (!std::exchange(is_beginning, false)) result += ",";
    result += *entry;
  }
  result += "]" + result_ending(frame);
  co_await finish_with_result(frame, result, {}, std::move(memory));
}

}  // namespace bartizan
