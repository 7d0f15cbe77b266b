#include "gateway/worker/server_events.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "gateway/catalogue/naming.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/upstream/own_answer.h"
#include "gateway/worker/event_quota.h"
#include "gateway/worker/followed.h"
#include "gateway/worker/list_changes.h"
#include "gateway/worker/redact_text.h"
#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_mark.h"
#include "schemas/json/json_text.h"
#include "schemas/message/splice.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

std::optional<ListKind> changed_list(MethodId method) {
  switch (method) {
    case MethodId::notifications_tools_list_changed:
      return ListKind::tools;
    case MethodId::notifications_prompts_list_changed:
      return ListKind::prompts;
    case MethodId::notifications_resources_list_changed:
      return ListKind::resources;
    default:
      return std::nullopt;
  }
}

/// A notification of a server's that belongs to no call.
struct News {
  MethodId method;
  std::string message;
  std::string uri = {};    ///< The resource that an update is about, by the server's own URI.
  std::string named = {};  ///< The same update under the URI that names the server.
};

/// A server's notification as some sessions get it.
struct LeftEvent {
  std::optional<std::string> text;  ///< Nothing where none of it may pass.
  std::string words;                ///< That the next one may go on with.
};

/// The notification as sessions of that principal get it that got `before` from the server before.
LeftEvent left_of(Worker& worker, const Principal& principal, const InstanceKey& key,
                  const std::string& message, bool is_clean, std::string_view before) {
  LeftEvent left;
  left.text = is_clean && before.empty()
                  ? message
                  : redact_event(worker, principal, key.server, message, before);
  if (left.text.has_value()) left.words = last_words_of(worker, *left.text, before);
  return left;
}

/// Keeps what a session was told last. False where there is no memory for it: what cannot be read
/// on from is not sent.
bool keep_words(Worker& worker, Session& session, const std::string& server,
                const std::string& words) {
  std::erase_if(session.last_logged, [&worker](const auto& one) {
    return !worker.snapshot->servers.contains(one.first);
  });
  const auto known = session.last_logged.find(server);
  const bool is_known = known != session.last_logged.end();
  if (words.empty() && !is_known) return true;
  const std::size_t servers = session.last_logged.size() + (is_known ? 0 : 1);
  if (!hold(worker.gateway.memory, session.logged_memory,
            servers * (StringScanner::kJoinedBytes + server.size()))) {
    return false;
  }
  session.last_logged.insert_or_assign(server, words);
  return true;
}

/// Sends a server's notification to the sessions on `worker` that it is for.
void notify_sessions(Worker& worker, const InstanceKey& key, const News& news) {
  if (is_replaced(worker, key)) return;
  if (is_server_blocked(worker.gateway.revocations.get(), key.server)) return;
  worker.bridged_listens.notify(key, news.method, news.uri);
  const std::int64_t now = seconds_now();
  const bool is_clean = !is_suspect(worker, news.message);
  // By principal, which has its roles by its token, by what its sessions were told before, and by
  // how they name the resource.
  std::map<std::tuple<const Principal*, std::string, UriForm>, LeftEvent> left_for;
  worker.sessions.for_each([&](Session& session) {
    const bool is_owners =
        key.owner.empty() || key.owner == session.principal->id || key.owner == session.id;
    if (!is_owners || session.stream == nullptr) return;
    const Policy& policy = *worker.snapshot->policy;
    const Principal& principal = *session.principal;
    const EvalContext of = any_call_at(now, session.endpoint);
    if (!policy.concerns(principal, key.server, of)) return;
    std::optional<UriForm> form = UriForm::bare;
    if (!news.uri.empty()) form = followed_as(session.subscriptions, key.server, news.uri);
    if (!form.has_value()) return;
    const bool may_see =
        news.uri.empty() || policy.shows(principal, TargetKind::resource, key.server, news.uri, of);
    if (!may_see) return;
    const auto known = session.last_logged.find(key.server);
    const std::string before = known == session.last_logged.end() ? "" : known->second;
    const auto [left, is_first] = left_for.try_emplace({&principal, before, *form});
    if (is_first) {
      const std::string& message = *form == UriForm::named ? news.named : news.message;
      left->second = left_of(worker, principal, key, message, is_clean, before);
    }
    const LeftEvent& event = left->second;
    if (!event.text.has_value() || !keep_words(worker, session, key.server, event.words)) return;
    session.stream->send_about(*event.text,
                               {.server = key.server, .method = news.method, .uri = news.uri});
  });
}

/// One window of every quota. Long enough to bound what a flood costs, short enough that a change
/// of a list is not missed.
constexpr std::chrono::seconds kWindow{1};
/// Changes of one list of one instance that are followed at once in one window.
constexpr std::uint32_t kChangesPerWindow = 5;

/// The longest pause between two times that clients' requests are repeated to one instance.
constexpr std::chrono::seconds kLongestPause{60};

/// What servers may make the gateway do in a short time: a flood of changes of a list is followed
/// by one look, a flood of garbage by one record. An instance that begins anew again and again is
/// sent clients' requests ever more seldom. Held by one worker's event functions.
///
/// Bounded: instances × lists, and configured servers × reasons, of the window that is open.
struct Floods {
  struct Change {
    EventQuota quota{kChangesPerWindow};
    std::string text;  ///< The last one that was only counted.
  };
  std::map<std::pair<InstanceKey, ListKind>, Change> changes;
  std::map<std::pair<std::string, std::string>, EventQuota> drops;
  std::map<InstanceKey, EventQuota> beginnings;
};
using FloodsPtr = std::shared_ptr<Floods>;

void tell_workers(Worker& worker, const InstanceKey& key, const News& news) {
  if (is_replaced(worker, key)) return;
  forget_changed_list(worker, key.server, news.method);
  for (const auto& other : worker.gateway.workers) {
    other->loop.post([other = other.get(), key, news] { notify_sessions(*other, key, news); });
  }
}

Task<void> watch_changes(Worker& worker, FloodsPtr floods, std::pair<InstanceKey, ListKind> of,
                         MethodId method) {
  Signal pause(worker.loop);
  while (true) {
    co_await pause.wait(kWindow);
    Floods::Change& change = floods->changes.at(of);
    if (change.quota.end_window() == 0) break;
    tell_workers(worker, of.first, {.method = method, .message = change.text});
  }
  floods->changes.erase(of);
}

void on_changed_list(Worker& worker, const FloodsPtr& floods, const InstanceKey& key,
                     MethodId method, std::string text) {
  const ListKind list = *changed_list(method);
  const auto [found, is_new] = floods->changes.try_emplace({key, list});
  if (is_new) spawn(worker.loop, watch_changes(worker, floods, found->first, method));
  if (found->second.quota.admit()) {
    return tell_workers(worker, key, {.method = method, .message = std::move(text)});
  }
  found->second.text = std::move(text);
}

void record_drops(Worker& worker, const std::pair<std::string, std::string>& of,
                  std::uint64_t count) {
  const std::string detail = "messages of the server dropped: " + of.second;
  Record record{.kind = RecordKind::summary, .time = system_now()};
  record.principal = "gateway";
  record.server = of.first;
  record.count = count;
  record.detail = detail;
  worker.recorder.note(record);
}

Task<void> watch_drops(Worker& worker, FloodsPtr floods, std::pair<std::string, std::string> of) {
  Signal pause(worker.loop);
  while (true) {
    co_await pause.wait(kWindow);
    const std::uint64_t count = floods->drops.at(of).end_window();
    if (count == 0) break;
    record_drops(worker, of, count);
  }
  floods->drops.erase(of);
}

void on_dropped(Worker& worker, const FloodsPtr& floods, const InstanceKey& key,
                std::string_view reason) {
  worker.loop.metrics().add(Metric::server_dropped,
                            std::array<std::string_view, 2>{key.server, reason});
  if (is_probe(key)) return;
  const auto [found, is_new] =
      floods->drops.try_emplace({key.server, std::string(reason)}, EventQuota(1));
  if (is_new) spawn(worker.loop, watch_drops(worker, floods, found->first));
  if (found->second.admit()) record_drops(worker, found->first, 1);
}

/// A request that goes to no client. A modern server may not ask at all, and so is not answered.
void refuse_request(Worker& worker, const InstanceKey& key, const Message& message,
                    std::string_view why) {
  if (key.era == Era::modern) return;
  const auto upstream = worker.upstreams.find(key);
  if (upstream == nullptr) return;
  upstream->tell(Permit::own(GatewayMessage::refusal,
                             write_error(std::string(message.id.raw()), -32601, std::string(why))),
                 0);
}

void on_overflow(Worker& worker, const InstanceKey& key, const ReceivedMessage& received) {
  const bool is_request = received.message.is_request();
  worker.upstream_events.dropped(key, is_request ? "request_flood" : "notification_flood");
  if (is_request) refuse_request(worker, key, received.message, "too many requests at once");
}

void on_message(Worker& worker, const FloodsPtr& floods, const InstanceKey& key,
                ReceivedMessage received) {
  const Message& message = received.message;
  if (message.is_request()) {
    // Belonging to no call, it belongs to no client either. Source: SEP-2260.
    const bool is_ping = message.known->id == MethodId::ping && key.era == Era::legacy;
    if (!is_ping) worker.upstream_events.dropped(key, "request_outside_call");
    const auto upstream = worker.upstreams.find(key);
    auto answer = own_answer(key.era, message, kNoClientsRequest);
    if (upstream != nullptr && answer.has_value()) upstream->tell(*std::move(answer), 0);
    return;
  }
  const MethodId method = message.known->id;
  if (changed_list(method).has_value()) {
    return on_changed_list(worker, floods, key, method, std::string(message.root.raw()));
  }
  const bool is_update = method == MethodId::notifications_resources_updated;
  // What an instance says that several principals share may be about any one's calls.
  const bool is_own_log =
      method == MethodId::notifications_message && !key.owner.empty() &&
      worker.snapshot->policy->allows_feature(key.server, ClientFeature::logging);
  if (!is_update && !is_own_log) {
    return worker.upstream_events.dropped(key, "notification_outside_call");
  }
  News news{.method = method, .message = std::string(received.bytes.view())};
  if (is_update) {
    news.uri = message.uri.text();
    if (news.uri.empty()) return;
    news.named = splice_in_place(news.message, {{SpliceKind::resource_uri, message.uri.range(),
                                                 json_string(named_uri(key.server, news.uri))}});
  }
  tell_workers(worker, key, news);
}

/// A server that began anew may list something else: its lists are asked for again, and clients are
/// told, as far as it has such lists. The lists are forgotten each time, or a call would be judged
/// by what is gone; of what clients are told the flood is bounded, as of what a server says itself.
void follow_new_beginning(Worker& worker, const FloodsPtr& floods, const InstanceKey& key) {
  for (const auto method :
       {MethodId::notifications_tools_list_changed, MethodId::notifications_prompts_list_changed,
        MethodId::notifications_resources_list_changed}) {
    forget_changed_list(worker, key.server, method);
  }
  const ServerState* state = worker.directory->find(key.server);
  if (state == nullptr || !state->in(key.era).has_value()) return;
  const AdvertisedFeatures offered = offered_by(*state->in(key.era));
  const auto tell = [&](MethodId method, std::string message) {
    on_changed_list(worker, floods, key, method, std::move(message));
  };
  if (offered.tools) tell(MethodId::notifications_tools_list_changed, changed_tools({}));
  if (offered.prompts) tell(MethodId::notifications_prompts_list_changed, changed_prompts({}));
  if (offered.resources)
    tell(MethodId::notifications_resources_list_changed, changed_resources({}));
}

Task<void> watch_beginnings(Worker& worker, FloodsPtr floods, InstanceKey key) {
  Signal pause(worker.loop);
  for (auto wait = kWindow;; wait = std::min(2 * wait, kLongestPause)) {
    co_await pause.wait(wait);
    if (floods->beginnings.at(key).end_window() == 0) break;
    worker.gateway.begun_anew(worker, key);
  }
  floods->beginnings.erase(key);
}

/// What clients asked is repeated to an instance that began anew: at once, and later where that
/// happens again soon. Two workers of which each makes the server forget the other's session would
/// never end otherwise.
void repeat_for_clients(Worker& worker, const FloodsPtr& floods, const InstanceKey& key) {
  if (!worker.gateway.begun_anew) return;
  const auto [found, is_new] = floods->beginnings.try_emplace(key, EventQuota(1));
  if (is_new) spawn(worker.loop, watch_beginnings(worker, floods, key));
  if (found->second.admit()) worker.gateway.begun_anew(worker, key);
}

/// Modern clients of a legacy instance that began anew: their subscriptions end, and they listen
/// anew.
void end_bridged(Worker& worker, const InstanceKey& key) {
  worker.gateway.log_levels.forget(key);
  for (const auto& other : worker.gateway.workers)
    other->loop.post_answer([other = other.get(), key] { other->bridged_listens.end(key); });
}

void on_state(Worker& worker, const FloodsPtr& floods, const InstanceKey& key,
              std::string_view what) {
  if (is_probe(key)) {
    return log(LogLevel::debug, "probe", {{"server", key.server}, {"state", std::string(what)}});
  }
  const bool failed = what.starts_with("failed") || what.starts_with("ended");
  std::vector<LogField> fields{{"server", key.server},
                               {"state", redact_line(worker, key.server, what)}};
  const auto last = worker.last_lines.find(key.server);
  if (failed && last != worker.last_lines.end()) fields.emplace_back("last_line", last->second);
  log(failed ? LogLevel::warning : LogLevel::info, "server", fields);
  if (what.starts_with("started")) worker.last_lines.erase(key.server);
  if (what == kBegunAnew) {
    follow_new_beginning(worker, floods, key);
    // A modern subscription ends with its server's stream, and its client listens anew.
    if (key.era == Era::legacy) {
      repeat_for_clients(worker, floods, key);
      end_bridged(worker, key);
    }
  }
  if (what == kStartedAnew) {
    worker.loop.metrics().add(Metric::server_restarts, std::array<std::string_view, 1>{key.server});
  }
  Record record{.kind = RecordKind::server, .time = system_now()};
  record.principal = "gateway";
  record.server = key.server;
  record.detail = what;
  worker.recorder.note(record);
}

/// An instance may know better than the last probe whether its server is up.
void on_reached(Worker& worker, const InstanceKey& key, bool is_reached) {
  if (is_probe(key) || is_replaced(worker, key) || !worker.gateway.look_again) return;
  const ServerState* known = worker.directory->find(key.server);
  if (known != nullptr && known->is_up() != is_reached) worker.gateway.look_again(key.server);
}

}  // namespace

bool is_replaced(const Worker& worker, const InstanceKey& key) {
  const auto present = worker.snapshot->servers.find(key.server);
  // A worker that has not taken over yet may hear of a generation to come.
  return present == worker.snapshot->servers.end() || key.generation < present->second->generation;
}

void forget_changed_list(Worker& worker, const std::string& server, MethodId method) {
  const auto list = changed_list(method);
  if (!list.has_value()) return;
  for (const auto& other : worker.gateway.workers) {
    other->loop.post_answer([other = other.get(), server, list = *list] {
      other->catalogue.forget(server, list);
      if (list != ListKind::resources) return;
      other->catalogue.forget(server, ListKind::resource_templates);
      other->catalogue.forget(server, ListKind::skills);
    });
  }
}

Task<Result<void>> record_gateway_message(Worker& worker, InstanceKey key, std::string method) {
  const DecisionId id = worker.next_decision_id();
  Record record{.kind = RecordKind::decision, .time = system_now()};
  record.decision_id = id.view();
  record.principal = "gateway";
  record.proof = kGatewayProof;
  record.direction = "client_to_server";
  record.protocol = text(key.era == Era::modern ? kNewestModernVersion : kNewestLegacyVersion);
  record.server = key.server;
  record.method = method;
  record.decision = "permit";
  record.policy = worker.snapshot->policy->digest();
  co_return co_await worker.recorder.commit(record);
}

UpstreamEvents make_upstream_events(Worker& worker) {
  const auto floods = std::make_shared<Floods>();
  return {
      .message =
          [&worker, floods](const InstanceKey& key, ReceivedMessage received) {
            on_message(worker, floods, key, std::move(received));
          },
      .overflow = [&worker](const InstanceKey& key,
                            ReceivedMessage received) { on_overflow(worker, key, received); },
      .state = [&worker, floods](const InstanceKey& key,
                                 std::string_view what) { on_state(worker, floods, key, what); },
      .reached = [&worker](const InstanceKey& key,
                           bool is_reached) { on_reached(worker, key, is_reached); },
      .record_gateway_message =
          [&worker](const InstanceKey& key, const std::string& method) {
            return record_gateway_message(worker, key, method);
          },
      .dropped = [&worker, floods](
                     const InstanceKey& key,
                     std::string_view reason) { on_dropped(worker, floods, key, reason); },
      .said =
          [&worker](const InstanceKey& key, std::string_view line) {
            constexpr std::size_t kLastLineMax = 200;
            const std::string redacted = redact_line(worker, key.server, line);
            worker.last_lines.insert_or_assign(key.server, marked_head(redacted, kLastLineMax));
            log_server_line(key.server, redacted);
          },
      .children = &worker.gateway.children,
      .stop_grace = worker.gateway.stop_grace};
}

}  // namespace bartizan
