#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/redact_message.h"
#include "gateway/call/resource_names.h"
#include "gateway/catalogue/naming.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/upstream/server_handshake.h"
#include "gateway/worker/redact_text.h"
#include "policy/check/check_access.h"
#include "policy/check/check_features.h"
#include "policy/check/listed_tool.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// The end of a result object of that era: what modern results carry and legacy ones do not.
std::string ending(Era era) {
  if (era == Era::legacy) return "}";
  return R"(,"resultType":"complete","ttlMs":0,"cacheScope":"private",)"
         R"("_meta":{"io.modelcontextprotocol/serverInfo":)" +
         gateway_info() + "}}";
}

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

/// When to try again where there are as many sessions as may be: the oldest may have ended by then.
constexpr std::chrono::seconds kSessionPause{10};

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
           {"to give it one owner", "resource_uris = \"named\" for all servers but one"}});
    }
    one.exposed = names.shown(*one.server, kind, own);
  }
}

/// The entry under the name that its client knows; nothing where it cannot be shown so.
std::optional<std::string> named_entry(const CallFrame& frame, ListKind kind, const Shown& shown) {
  const ListedEntry& entry = *shown.entry;
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

void remember_client(Session& session, const Message& message, Announced answers) {
  const JsonValue info = message.params.find("clientInfo");
  session.client_name = client_label(info.find("name").text());
  session.client_version = client_label(info.find("version").text());
  if (answers == Announced::answers_only) return;  // It would take a question for an answer.
  session.client_features = read_declared_features(message.params.find("capabilities"));
}

/// The servers that the client's endpoint shows, without blocked ones: what these say of themselves
/// is not passed on either. Lifetime: views the frame.
ShownServers shown_to(const CallFrame& frame) {
  return [&frame](std::string_view server) {
    return frame.policy().shows_server(frame.call.facts.endpoint, server) &&
           !is_server_blocked(frame.worker.gateway.revocations.get(), server);
  };
}

/// Says which bound was met, and that one may come back.
Task<void> refuse_session(CallFrame& frame, SessionBound bound) {
  const bool is_own = bound == SessionBound::principal;
  const AnswerStatus status{.status = is_own ? 429 : 503,
                            .headers = {{"Retry-After", std::to_string(kSessionPause.count())}}};
  RefusalDetail detail{.retry_after = kSessionPause,
                       .detail = is_own ? "the principal has [session] max_concurrent sessions"
                                        : "all together have [session] max_total sessions",
                       .status = std::make_shared<const AnswerStatus>(status)};
  Denial denial{"gateway", Decision::deny(Reason::session_limit)};
  co_await refuse_call(frame, std::move(denial), std::move(detail));
}

Announced announced_to(const CallFrame& frame) {
  return frame.inbound.answers_only ? Announced::answers_only : Announced::news;
}

/// Servers leave tools that need these out of their lists without a word, so the log says why.
void tell_withheld(const CallFrame& frame) {
  const JsonValue offered = frame.message().params.find("capabilities");
  std::string withheld;
  const auto is_passed_on = [&frame](ClientFeature feature) {
    return std::ranges::any_of(frame.snapshot().config.servers, [feature](const auto& server) {
      return allows(server.second.client_features, feature);
    });
  };
  for (const auto& [name, feature] : {std::pair("sampling", ClientFeature::sampling),
                                      std::pair("elicitation", ClientFeature::elicitation),
                                      std::pair("roots", ClientFeature::roots)}) {
    if (!offered.find(name) || is_passed_on(feature)) continue;
    withheld += (withheld.empty() ? "" : ", ") + std::string(name);
  }
  if (withheld.empty()) return;
  log(LogLevel::info, "client features not passed on",
      {{"offered", withheld}, {"to pass them on", "client_features, or wrap --allow"}});
}

}  // namespace

bool is_answered_here(MethodId method) {
  switch (method) {
    case MethodId::initialize:
    case MethodId::server_discover:
    case MethodId::ping:
      return true;
    default:
      return is_list(method);
  }
}

bool is_list(MethodId method) {
  switch (method) {
    case MethodId::tools_list:
    case MethodId::prompts_list:
    case MethodId::resources_list:
    case MethodId::resources_templates_list:
      return true;
    default:
      return false;
  }
}

Task<void> answer_here(CallFrame& frame) {
  switch (frame.method()) {
    case MethodId::initialize:
      co_return co_await answer_initialize(frame);
    case MethodId::server_discover:
      co_return co_await answer_discover(frame);
    case MethodId::ping:
      co_await finish_with_result(frame, "{}");
      co_return;
    default:
      co_return co_await answer_list(frame, list_of(frame.method()));
  }
}

Task<bool> finish_with_result(CallFrame& frame, std::string_view result_json,
                              std::string session_id, MemoryShares::Held memory) {
  Answer answer{.message = write_result(frame.id_text, result_json),
                .session_id = std::move(session_id),
                .memory = std::move(memory)};
  frame.findings.bytes_out = answer.message.size();
  const Result<void> recorded = co_await record_outcome(frame, {});
  if (!recorded.has_value()) {
    co_await refuse_call(frame, Reason::not_recordable);
    co_return false;
  }
  frame.exchange->finish(std::move(answer));
  co_return true;
}

Task<void> answer_initialize(CallFrame& frame) {
  const ProtocolVersion version =
      negotiate_legacy(frame.message().params.find("protocolVersion").text());
  std::shared_ptr<Session> session;
  for (bool is_swept = false; session == nullptr; is_swept = true) {
    // Those whose time is over may only wait to be swept, wherever they are.
    if (is_swept) co_await expire_everywhere(frame.worker.loop, frame.worker.gateway);
    // A session begins as the policy of now knows its principal.
    const auto present = review_caller(frame);
    if (!present.has_value()) co_return co_await refuse_call(frame, present.error().reason);
    frame.inbound.caller.principal = *present;
    auto begun = frame.worker.sessions.begin(frame.inbound.caller, frame.snapshot().config.session,
                                             frame.worker.random.draw<16>(), steady_now());
    if (begun.has_value()) {
      session = *std::move(begun);
    } else if (is_swept) {
      co_return co_await refuse_session(frame, begun.error());
    }
  }
  // Other clients may come often, and their operator is another than their user.
  if (kind_of(frame.inbound.transport).is_own_process) tell_withheld(frame);
  session->version = version;
  remember_client(*session, frame.message(), announced_to(frame));
  const Directory& directory = *frame.worker.directory;
  session->offered =
      offered_by(directory, frame.snapshot().config.servers, Era::legacy, shown_to(frame));
  std::string result = R"({"protocolVersion":")";
  result += text(version);
  result += R"(","capabilities":)" + merged_capabilities(session->offered, announced_to(frame));
  result += R"(,"serverInfo":)";
  result += gateway_info();
  const std::string instructions =
      redact_instructions(frame, merged_instructions(directory, Era::legacy, shown_to(frame)));
  if (!instructions.empty()) {
    result += R"(,"instructions":)";
    append_json_string(result, instructions);
  }
  // A session that its client never hears of is not kept.
  const bool told = co_await finish_with_result(frame, result + "}", session->id);
  if (!told) frame.worker.sessions.end(session->id);
}

Task<void> answer_discover(CallFrame& frame) {
  const Directory& directory = *frame.worker.directory;
  std::string result = R"({"supportedVersions":[")";
  result += text(kNewestModernVersion);
  const AdvertisedFeatures offered =
      offered_by(directory, frame.snapshot().config.servers, Era::modern, shown_to(frame));
  result += R"("],"capabilities":)" + merged_capabilities(offered, announced_to(frame));
  const std::string instructions =
      redact_instructions(frame, merged_instructions(directory, Era::modern, shown_to(frame)));
  if (!instructions.empty()) {
    result += R"(,"instructions":)";
    append_json_string(result, instructions);
  }
  co_await finish_with_result(frame, result + ending(Era::modern));
}

/// Nobody waits for the list any more, or an operator does not let it go on.
Task<void> end_cancelled_list(CallFrame& frame) {
  if (Decision refusal = operator_refusal(frame); refusal.denies()) {
    co_return co_await refuse_call(frame, {"operator", std::move(refusal)});
  }
  static_cast<void>(co_await record_outcome(frame, {Outcome::cancelled, Reason::none}));
  frame.exchange->finish({});
}

Task<void> answer_list(CallFrame& frame, ListKind kind) {
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
  result += "]" + ending(frame.inbound.era);
  co_await finish_with_result(frame, result, {}, std::move(memory));
}

}  // namespace bartizan
