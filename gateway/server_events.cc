#include "gateway/server_events.h"

#include <array>
#include <utility>

#include "gateway/log.h"
#include "schemas/write_message.h"

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

/// Whether a session follows that resource of that server, or one that it is a part of.
bool follows(const Session& session, std::string_view server, std::string_view uri) {
  for (const auto& [of_server, followed] : session.subscriptions) {
    if (of_server != server || !uri.starts_with(followed)) continue;
    const std::string_view rest = uri.substr(followed.size());
    if (rest.empty() || followed.ends_with('/') || rest.front() == '/') return true;
  }
  return false;
}

/// Sends a server's notification to the sessions on `worker` that it is for.
void notify_sessions(Worker& worker, const InstanceKey& key, const std::string& message,
                     const std::string& uri) {
  worker.sessions.for_each([&](Session& session) {
    const bool is_owners =
        key.owner.empty() || key.owner == session.principal || key.owner == session.id;
    if (!is_owners || session.stream == nullptr) return;
    const Policy& policy = *worker.snapshot->policy;
    const Principal* principal = policy.find_principal(session.principal);
    if (principal == nullptr || !policy.concerns(*principal, key.server)) return;
    if (!uri.empty() && (!follows(session, key.server, uri) ||
                         !policy.shows(*principal, TargetKind::resource, key.server, uri))) {
      return;
    }
    session.stream->send(message);
  });
}

void on_message(Worker& worker, const InstanceKey& key, ReceivedMessage received) {
  const Message& message = received.message;
  if (message.is_request()) {
    const bool is_ping = message.known->id == MethodId::ping;
    const std::string id(message.id.raw());
    // Belonging to no call, it belongs to no client either. Source: SEP-2260.
    Permit permit = is_ping
                        ? Permit::own(OwnMessage::ping_answer, write_result(id, "{}"))
                        : Permit::own(OwnMessage::refusal,
                                      write_error(id, -32601, "not part of any client's request"));
    if (!is_ping) worker.upstream_events.dropped(key, "request_outside_call");
    if (const auto upstream = worker.upstreams.find(key)) upstream->tell(std::move(permit));
    return;
  }
  const MethodId method = message.known->id;
  const auto list = changed_list(method);
  const bool is_update = method == MethodId::notifications_resources_updated;
  // What an instance says that several principals share may be about any one's calls.
  const bool is_own_log = method == MethodId::notifications_message && !key.owner.empty();
  if (!list.has_value() && !is_update && !is_own_log) {
    return worker.upstream_events.dropped(key, "notification_outside_call");
  }
  const std::string text(received.bytes.view());
  const std::string uri(is_update ? message.uri.text() : "");
  if (is_update && uri.empty()) return;
  forget_changed_list(worker, key.server, method);
  for (const auto& other : worker.gateway.workers) {
    other->loop.post(
        [other = other.get(), key, text, uri] { notify_sessions(*other, key, text, uri); });
  }
}

void on_state(Worker& worker, const InstanceKey& key, std::string_view what) {
  if (key.owner == kProbeOwner) {
    return log(LogLevel::debug, "probe", {{"server", key.server}, {"state", std::string(what)}});
  }
  const bool failed = what.starts_with("failed") || what.starts_with("ended");
  log(failed ? LogLevel::warning : LogLevel::info, "server",
      {{"server", key.server}, {"state", std::string(what)}});
  if (what == "started again") {
    worker.loop.metrics().add(Metric::server_restarts, std::array<std::string_view, 1>{key.server});
  }
  Record record{.kind = RecordKind::server, .time = std::chrono::system_clock::now()};
  record.principal = "gateway";
  record.server = key.server;
  record.detail = what;
  worker.recorder.note(record);
}

}  // namespace

void forget_changed_list(Worker& worker, const std::string& server, MethodId method) {
  const auto list = changed_list(method);
  if (!list.has_value()) return;
  for (const auto& other : worker.gateway.workers) {
    other->loop.post_answer([other = other.get(), server, list = *list] {
      other->catalogue.forget(server, list);
      if (list != ListKind::resources) return;
      other->catalogue.forget(server, ListKind::resource_templates);
    });
  }
}

Task<Result<void>> record_own(Worker& worker, InstanceKey key, std::string method) {
  const DecisionId id = worker.next_decision_id();
  Record record{.kind = RecordKind::decision, .time = std::chrono::system_clock::now()};
  record.decision_id = id.view();
  record.principal = "gateway";
  record.proof = text(Proof::gateway);
  record.direction = "client_to_server";
  record.protocol = text(key.era == Era::modern ? kNewestModernVersion : kNewestLegacyVersion);
  record.server = key.server;
  record.method = method;
  record.decision = "permit";
  record.policy = worker.snapshot->policy->digest();
  co_return co_await worker.recorder.commit(std::move(record));
}

UpstreamEvents make_upstream_events(Worker& worker) {
  return {.message =
              [&worker](const InstanceKey& key, ReceivedMessage received) {
                on_message(worker, key, std::move(received));
              },
          .state = [&worker](const InstanceKey& key,
                             std::string_view what) { on_state(worker, key, what); },
          .record_own =
              [&worker](const InstanceKey& key, std::string method) {
                return record_own(worker, key, std::move(method));
              },
          .dropped =
              [&worker](const InstanceKey& key, std::string_view reason) {
                worker.loop.metrics().add(Metric::server_dropped,
                                          std::array<std::string_view, 2>{key.server, reason});
              },
          .children = &worker.gateway.children};
}

}  // namespace bartizan
