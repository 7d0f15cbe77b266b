#include "gateway/control/resubscribe.h"

#include <utility>
#include <vector>

#include "gateway/call/handle_call.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;
using SessionPtr = std::shared_ptr<Session>;

/// A server that answers nobody must not be asked for hours.
constexpr std::chrono::minutes kPatience{1};

/// The end of a request whose answer nobody waits for: what it changed shows in the session.
class NobodysExchange final : public Exchange {
 public:
  void send(std::string /*message*/) override {}
  void finish(Answer /*answer*/) override {}
  void on_cancel(std::move_only_function<void()> /*cancelled*/) override {}
};

std::string member(std::string_view name, std::string_view text) {
  std::string json = "{\"";
  json += name;
  json += "\":";
  append_json_string(json, text);
  return json + "}";
}

Task<void> repeat(Worker& worker, const SessionPtr& session, const std::string& server,
                  std::string_view method, std::string params) {
  // An id that the client has no request under.
  std::string id = "\"";
  id += worker.next_decision_id().view();
  const std::string text = write_request(id + "\"", method, params);
  Receipt receipt = receive_message(worker.loop, worker.gateway.memory, Bytes(text), {});
  if (!receipt.has_value()) co_return;
  Inbound inbound{.received = std::move(*receipt),
                  .era = Era::legacy,
                  .version = session->version,
                  .snapshot = worker.snapshot,
                  .caller = {.principal = session->principal,
                             .proof = std::string(kGatewayProof),
                             .credential = session->credential},
                  .source = std::string(kind_of(Transport::gateway).name),
                  .transport = Transport::gateway,
                  .session_id = session->id,
                  .bytes = text.size(),
                  .only_server = server,
                  .received_at = steady_now()};
  co_await handle_call(worker, std::make_unique<Inbound>(std::move(inbound)),
                       std::make_shared<NobodysExchange>());
}

/// Whether the requests of a session go to that instance.
bool is_served_by(Worker& worker, const Session& session, const Begun& begun) {
  const auto definition = worker.snapshot->servers.find(begun.key.server);
  if (definition == worker.snapshot->servers.end()) return false;
  const InstanceCaller caller{.principal = session.principal->id,
                              .session = session.id,
                              .era = spoken_era(worker, begun.key.server, Era::legacy)};
  return worker.upstreams.handle(definition->second, caller).leads_to(*begun.home, begun.key);
}

/// The resources of a server that a session follows.
Followed followed_at(const Session& session, const std::string& server) {
  Followed followed = session.subscriptions;
  std::erase_if(followed, [&server](const auto& one) { return one.first.first != server; });
  return followed;
}

}  // namespace

Task<void> resubscribe(Worker& worker, std::string server, std::optional<Begun> begun) {
  const Clock::time_point latest = steady_now() + kPatience;
  std::size_t lost = 0;
  const std::vector<SessionPtr> sessions = worker.sessions.all();
  for (const SessionPtr& session : sessions) {
    const auto is_there = [&worker, &session] {
      return worker.sessions.find(session->id, owner_of(*session), worker.snapshot->config.session,
                                  steady_now()) != nullptr;
    };
    const Followed followed = followed_at(*session, server);
    const bool is_its = !begun.has_value() || is_served_by(worker, *session, *begun);
    const bool is_concerned = !followed.empty() || !session->log_level.empty();
    if (!is_its || !is_concerned || !is_there()) continue;
    if (!session->log_level.empty() && steady_now() < latest) {
      co_await repeat(worker, session, server, "logging/setLevel",
                      member("level", session->log_level));
    }
    for (const auto& [resource, form] : followed) {
      const std::string uri = in_form(form, server, resource.second);
      // Of its own accord the client may have ceased to follow it meanwhile.
      if (session->subscriptions.erase(resource) == 0) continue;
      if (steady_now() < latest && is_there()) {
        co_await repeat(worker, session, server, "resources/subscribe", member("uri", uri));
      }
      if (!session->subscriptions.contains(resource)) {
        ++lost;
      } else if (session->stream != nullptr) {
        session->stream->send_about(
            write_notification("notifications/resources/updated", member("uri", uri)),
            {.server = server,
             .method = MethodId::notifications_resources_updated,
             .uri = resource.second});
      }
    }
  }
  if (lost == 0) co_return;
  log(LogLevel::warning, "subscriptions lost", {{"server", server}, {"count", lost}});
}

}  // namespace bartizan
