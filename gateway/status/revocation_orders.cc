#include "gateway/status/revocation_orders.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audit/digest.h"
#include "config/problems.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/random.h"
#include "gateway/store/grants.h"
#include "gateway/worker/list_changes.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

using Kind = Revocation::Kind;
using AnswerKind = RevocationAnswer::Kind;

constexpr std::size_t kShownDigits = 16;

std::chrono::sys_seconds now() {
  return std::chrono::floor<std::chrono::seconds>(system_now());
}

RevocationAnswer refused(AnswerKind kind, std::string why) {
  return {.kind = kind, .why = std::move(why)};
}

RevocationAnswer of_store(const Error& error) {
  const bool is_theirs = error.code == ErrorCode::invalid_params;
  return refused(is_theirs ? AnswerKind::malformed : AnswerKind::not_done, error.detail);
}

std::vector<std::string_view> views_of(const auto& names) {
  return {names.begin(), names.end()};
}

RevocationAnswer unknown(std::string_view what, std::string_view name,
                         const std::vector<std::string_view>& names) {
  const std::string hint = hint_near(name, names);
  return refused(AnswerKind::unknown, fmt::format("there is no {} {}{}{}", what, quote(name),
                                                  hint.empty() ? "" : ": ", hint));
}

/// Whether somebody whom claims describe may have that name: nobody knows all of those.
bool is_described(const AuthConfig& auth, std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == name.npos || colon + 1 == name.size()) return false;
  const std::string_view whose = name.substr(0, colon);
  const auto is_of = [whose](const auto& one) { return one.name == whose; };
  return std::ranges::any_of(auth.issuers, is_of) || std::ranges::any_of(auth.front_doors, is_of);
}

std::optional<RevocationAnswer> check_principal(const Snapshot& snapshot, std::string_view name) {
  if (snapshot.authenticator.knows(name) || is_described(snapshot.config.auth, name)) {
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const auto& [id, principal] : snapshot.config.principals)
    names.push_back(id);
  return unknown("principal", name, names);
}

std::optional<RevocationAnswer> check_server(const Snapshot& snapshot, std::string_view name) {
  const auto& servers = snapshot.config.servers;
  if (servers.contains(name)) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto& [server, config] : servers)
    names.push_back(server);
  return unknown("server", name, names);
}

/// All tools that servers were seen to list, as `server/tool`.
Task<std::set<std::string>> listed_tools(Loop& asking, Gateway& gateway) {
  std::set<std::string> all;
  for (const auto& worker : gateway.workers) {
    const auto lists = co_await Visit(asking, worker->loop, [its = worker.get()] {
      return its->catalogue.newest(ListKind::tools);
    });
    for (const auto& [server, list] : lists) {
      for (const ListedEntry& entry : list->entries)
        all.insert(fmt::format("{}/{}", server, entry.name));
    }
  }
  co_return all;
}

Task<std::optional<RevocationAnswer>> check_tool(Loop& asking, Gateway& gateway,
                                                 SnapshotPtr snapshot, std::string name) {
  const std::size_t slash = name.find('/');
  const bool is_named = slash != name.npos && slash > 0 && slash + 1 < name.size();
  if (!is_named) {
    co_return refused(AnswerKind::malformed, "a tool is named SERVER/TOOL, as in rules");
  }
  const std::string server = name.substr(0, slash);
  if (auto refusal = check_server(*snapshot, server)) co_return refusal;
  const std::set<std::string> tools = co_await listed_tools(asking, gateway);
  const auto first = tools.lower_bound(server + "/");
  const bool is_listed = first != tools.end() && first->starts_with(server + "/");
  // Of a server that has listed nothing yet, nobody knows what it has.
  if (!is_listed || tools.contains(name)) co_return std::nullopt;
  co_return unknown("tool", name, views_of(tools));
}

/// A key by its name becomes its digest: another key that gets the name later is not revoked.
std::optional<RevocationAnswer> resolve_key(const Snapshot& snapshot, std::string& subject) {
  const auto& keys = snapshot.config.auth.api_keys;
  const auto found = std::ranges::find_if(keys, [&subject](const ApiKeyConfig& key) {
    return key.name == subject || key.sha256 == subject;
  });
  if (found != keys.end()) {
    subject = found->sha256;
    return std::nullopt;
  }
  if (parse_hex(subject).has_value()) {
    return refused(AnswerKind::unknown,
                   "no [auth.api_key] has that sha256: it is that of the key's own bytes, without "
                   "a line end");
  }
  std::vector<std::string_view> names;
  for (const ApiKeyConfig& key : keys)
    names.push_back(key.name);
  return unknown("key", subject, names);
}

/// The ids of the sessions on that worker whose SHA-256 is the subject.
std::vector<std::string> sessions_of(Worker& worker, std::string_view digest) {
  const auto wanted = parse_hex(digest);
  std::vector<std::string> ids;
  Digester digester;
  worker.sessions.for_each([&](Session& session) {
    if (digester.sha256(session.id) == wanted) ids.push_back(session.id);
  });
  return ids;
}

Task<bool> has_session(Loop& asking, Gateway& gateway, std::string digest) {
  for (const auto& worker : gateway.workers) {
    const bool is_here = co_await Visit(asking, worker->loop, [its = worker.get(), &digest] {
      return !sessions_of(*its, digest).empty();
    });
    if (is_here) co_return true;
  }
  co_return false;
}

/// A token of a front door becomes its sign-in: its client must not go on with another token of it,
/// or with the refresh token. That ends when the sign-in would have ended.
Task<std::optional<RevocationAnswer>> resolve_sign_in(Loop& asking, Gateway& gateway,
                                                      RevocationOrder& order) {
  const std::int64_t seconds = seconds_now();
  const auto grant = co_await Grants(*gateway.store).find_token(asking, order.subject, seconds);
  if (!grant.has_value()) co_return of_store(grant.error());
  if (!grant->has_value()) co_return std::nullopt;
  order.subject = hex_of(Digester().sha256((*grant)->id));
  if (!order.lasts.has_value()) order.lasts = std::chrono::seconds((*grant)->ends - seconds);
  co_return std::nullopt;
}

/// Whether it names something that there is, which it then names as the store wants it.
Task<std::optional<RevocationAnswer>> resolve(Loop& asking, Gateway& gateway, SnapshotPtr snapshot,
                                              RevocationOrder& order) {
  std::string& subject = order.subject;
  switch (order.kind) {
    case Kind::principal:
    case Kind::block_principal:
      co_return check_principal(*snapshot, subject);
    case Kind::block_server:
      co_return check_server(*snapshot, subject);
    case Kind::block_tool:
      co_return co_await check_tool(asking, gateway, snapshot, subject);
    case Kind::key:
      co_return resolve_key(*snapshot, subject);
    case Kind::token:
    case Kind::session:
      break;
  }
  if (!parse_hex(subject).has_value()) {
    co_return refused(AnswerKind::malformed,
                      fmt::format("a {} is named by its SHA-256, 64 lower-case hexadecimal digits; "
                                  "bartizan revoke {} computes it",
                                  text(order.kind), text(order.kind)));
  }
  if (order.kind == Kind::token) co_return co_await resolve_sign_in(asking, gateway, order);
  if (!co_await has_session(asking, gateway, subject)) {
    co_return refused(AnswerKind::unknown, "there is no such session: it has ended, or never was");
  }
  // No session lives longer, and its id is never given out again.
  if (!order.lasts.has_value()) {
    order.lasts =
        std::chrono::duration_cast<std::chrono::seconds>(snapshot->config.session.session_timeout);
  }
  co_return std::nullopt;
}

Record record_of(RecordKind kind, const Revocation& revocation, const Operator& by,
                 const Policy& policy) {
  Record record{.kind = kind, .time = system_now()};
  record.source = by.source;
  record.transport = by.transport;
  record.principal = by.principal;
  record.roles.assign(by.roles.begin(), by.roles.end());
  record.proof = by.proof;
  record.policy = policy.digest();
  const std::string_view subject = revocation.subject;
  if (revocation.kind == Kind::block_server) record.server = subject;
  if (revocation.kind == Kind::block_tool) {
    record.server = subject.substr(0, subject.find('/'));
    record.target = subject.substr(subject.find('/') + 1);
  }
  return record;
}

bool write(Gateway& gateway, const Record& record) {
  if (gateway.log.append({encode_record(record)}).has_value()) return true;
  gateway.log.count_lost();
  return false;
}

bool record_revocation(Gateway& gateway, const Revocation& revocation, const Operator& by,
                       const Policy& policy) {
  Record record = record_of(RecordKind::revocation, revocation, by, policy);
  record.decision_id = revocation.decision_id;
  std::string detail = describe(revocation);
  if (revocation.until.has_value()) {
    detail += fmt::format(" for {} s", (*revocation.until - revocation.at).count());
  }
  detail += ": " + revocation.why;
  record.detail = detail;
  return write(gateway, record);
}

/// Input: `why_not` is empty for what is lifted.
bool record_lift(Gateway& gateway, const Revocation& revocation, const Operator& by,
                 const Policy& policy, std::string_view why_not) {
  Record record = record_of(RecordKind::lift, revocation, by, policy);
  record.decision_id = revocation.decision_id;
  std::string detail = describe(revocation);
  if (!why_not.empty()) {
    record.decision = "deny";
    detail += fmt::format(", not lifted after all: {}", why_not);
  }
  record.detail = detail;
  return write(gateway, record);
}

void tell_log(std::string_view what, const Revocation& revocation, const Operator& by) {
  log(LogLevel::info, what,
      {{"what", describe(revocation)},
       {"number", revocation.id},
       {"by", by.principal.empty() ? by.source : by.principal}});
}

/// Tells clients with a stream that lists are not what they were: what is blocked has left them,
/// or is there again.
void tell_sessions(Worker& worker, std::string_view server, Kind kind) {
  const std::int64_t seconds = seconds_now();
  worker.sessions.for_each([&](Session& session) {
    if (session.stream == nullptr) return;
    const EvalContext of = any_call_at(seconds, session.endpoint);
    if (!worker.snapshot->policy->concerns(*session.principal, server, of)) return;
    if (session.offered.tools) session.stream->send(changed_tools({}));
    if (kind == Kind::block_tool) return;
    if (session.offered.prompts) session.stream->send(changed_prompts({}));
    if (session.offered.resources) session.stream->send(changed_resources({}));
  });
}

Task<void> follow_everywhere(Loop& asking, Gateway& gateway, const Revocation& revocation) {
  for (const auto& worker : gateway.workers) {
    co_await Visit(asking, worker->loop, [its = worker.get(), &revocation] {
      follow_revocation(*its, revocation);
      return 0;
    });
  }
}

Task<SnapshotPtr> present_snapshot(Loop& asking, Gateway& gateway) {
  co_return co_await Visit(asking, gateway.workers.front()->loop,
                           [its = gateway.workers.front().get()] { return its->snapshot; });
}

RevocationAnswer no_state() {
  return refused(AnswerKind::not_done,
                 "nothing can be revoked or blocked without a state file, which keeps it over a "
                 "restart: write [state] file = \"PATH\" in the configuration and restart");
}

/// Of what the state file should do later: where it did not take that, the next start may find
/// another state than this process has.
void tell_of_lost(std::string_view decision_id, const Result<void>& taken) {
  if (taken.has_value()) return;
  log(LogLevel::error, "state file may keep a revocation wrongly",
      {{"decision_id", std::string(decision_id)}, {"detail", taken.error().detail}});
}

/// Takes back what cannot be recorded. Where the state file does not let go of it, the next start
/// has it in force: so it is now, listed, and can be lifted.
Task<RevocationAnswer> take_back(Loop& asking, Gateway& gateway, Revocation kept) {
  Revocations rows(*gateway.store);
  const Result<void> taken = co_await rows.take_back(asking, kept.decision_id);
  if (taken.has_value()) {
    co_return refused(AnswerKind::not_recordable, "it cannot be recorded, so nothing was done");
  }
  if (taken.error().code == ErrorCode::timed_out) {
    tell_of_lost(kept.decision_id, rows.keep_later(kept));
  }
  gateway.revocations->add(kept);
  log(LogLevel::error, "revoked without a record",
      {{"what", describe(kept)}, {"number", kept.id}, {"detail", taken.error().detail}});
  co_await follow_everywhere(asking, gateway, kept);
  co_return refused(AnswerKind::not_recordable,
                    fmt::format("it cannot be recorded, and the state file does not let go of it, "
                                "so it is in force all the same: lift number {}",
                                kept.id));
}

}  // namespace

std::string describe(const Revocation& revocation) {
  std::string_view kind = text(revocation.kind);
  const bool blocks = is_block(revocation.kind);
  if (blocks) kind.remove_prefix(std::string_view("block_").size());
  const bool is_digest = is_by_digest(revocation.kind);
  return fmt::format("{} {} {}{}", blocks ? "block" : "revoke", kind, is_digest ? "sha256 " : "",
                     std::string_view(revocation.subject)
                         .substr(0, is_digest ? kShownDigits : std::string_view::npos));
}

void follow_revocation(Worker& worker, const Revocation& revocation) {
  // Calls first: their clients learn why the calls end, rather than that the session is over.
  worker.gateway.revocations->tell(worker.loop.index());
  std::vector<std::string> ended =
      worker.sessions.end_revoked(worker.snapshot->authenticator, seconds_now());
  if (revocation.kind == Kind::session &&
      worker.gateway.revocations->find(revocation.id).has_value()) {
    for (const std::string& id : sessions_of(worker, revocation.subject)) {
      worker.sessions.end(id);
      ended.push_back(id);
    }
  }
  for (const std::string& id : ended)
    worker.end_owner(id);
  const bool is_of_lists =
      revocation.kind == Kind::block_server || revocation.kind == Kind::block_tool;
  if (!is_of_lists) return;
  const std::string_view subject = revocation.subject;
  tell_sessions(worker, subject.substr(0, subject.find('/')), revocation.kind);
}

Task<RevocationAnswer> order_revocation(Loop& asking, Gateway& gateway, RevocationOrder order,
                                        Operator by) {
  if (gateway.store == nullptr || gateway.revocations == nullptr) co_return no_state();
  const SnapshotPtr snapshot = co_await present_snapshot(asking, gateway);
  if (auto refusal = co_await resolve(asking, gateway, snapshot, order)) {
    co_return *std::move(refusal);
  }
  const DecisionId id = make_decision_id(milliseconds_now(), Random().draw<10>());
  Revocation wanted{.kind = order.kind,
                    .subject = std::move(order.subject),
                    .by = by.principal.empty() ? by.source : by.principal,
                    .why = std::move(order.why),
                    .decision_id = std::string(id.view()),
                    .at = now()};
  if (order.lasts.has_value()) wanted.until = wanted.at + *order.lasts;
  // The disk comes before the record, so that the record never tells of what a crash undid. A row
  // of which nobody could be told is taken back; killed between the two, the next start has it in
  // force: that errs on the safe side.
  const std::string decision_id = wanted.decision_id;
  Revocations rows(*gateway.store);
  const Result<Revocation> kept = co_await rows.revoke(asking, std::move(wanted));
  if (!kept.has_value()) {
    // A change that timed out may still be made.
    if (kept.error().code == ErrorCode::timed_out) {
      tell_of_lost(decision_id, rows.take_back_later(decision_id));
    }
    co_return of_store(kept.error());
  }
  if (!record_revocation(gateway, *kept, by, *snapshot->policy)) {
    co_return co_await take_back(asking, gateway, *kept);
  }
  gateway.revocations->add(*kept);
  tell_log("revoked", *kept, by);
  co_await follow_everywhere(asking, gateway, *kept);
  co_return RevocationAnswer{.revocation = *kept};
}

Task<RevocationAnswer> lift_revocation(Loop& asking, Gateway& gateway, std::int64_t id,
                                       Operator by) {
  if (gateway.store == nullptr || gateway.revocations == nullptr) co_return no_state();
  const std::optional<Revocation> held = gateway.revocations->find(id);
  if (!held.has_value()) {
    co_return refused(AnswerKind::unknown,
                      fmt::format("nothing that holds has the number {}: it was lifted, or its "
                                  "time is over",
                                  id));
  }
  const SnapshotPtr snapshot = co_await present_snapshot(asking, gateway);
  // Here the record comes first: nobody is admitted again without a record of it.
  if (!record_lift(gateway, *held, by, *snapshot->policy, "")) {
    co_return refused(AnswerKind::not_recordable, "it cannot be recorded, so nothing was lifted");
  }
  Revocations rows(*gateway.store);
  const auto lifted = co_await rows.lift(asking, id);
  if (!lifted.has_value()) {
    // A change that timed out may still be made. The next start would then admit a caller that this
    // one does not.
    if (lifted.error().code == ErrorCode::timed_out) {
      tell_of_lost(held->decision_id, rows.keep_later(*held));
    }
    record_lift(gateway, *held, by, *snapshot->policy, lifted.error().detail);
    co_return of_store(lifted.error());
  }
  // Whoever had the row forgotten lets in again; nobody else does, who may have it kept again.
  const std::optional<Revocation> removed =
      lifted->has_value() ? gateway.revocations->remove(id) : std::nullopt;
  if (!removed.has_value()) {
    constexpr std::string_view kWhy = "somebody else lifted it in the same moment";
    record_lift(gateway, *held, by, *snapshot->policy, kWhy);
    co_return refused(AnswerKind::unknown, std::string(kWhy));
  }
  tell_log("lifted", *removed, by);
  co_await follow_everywhere(asking, gateway, *removed);
  co_return RevocationAnswer{.revocation = *removed};
}

void drop_ended_revocations(Gateway& gateway) {
  if (gateway.revocations == nullptr || gateway.revocations->empty()) return;
  const std::vector<Revocation> ended = gateway.revocations->drop_ended(now());
  for (const Revocation& revocation : ended) {
    log(LogLevel::info, "revocation over", {{"what", describe(revocation)}});
    for (const auto& worker : gateway.workers) {
      worker->loop.post_answer(
          [its = worker.get(), revocation] { follow_revocation(*its, revocation); });
    }
  }
}

}  // namespace bartizan
