#include "gateway/worker/worker.h"

#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/worker/redact_text.h"
#include "gateway/worker/report_unapproved_tools.h"
#include "gateway/worker/server_events.h"
#include "policy/sanitise/sanitiser.h"

namespace bartizan {

Worker::Worker(Gateway& its_gateway, std::uint16_t index, SnapshotPtr its_snapshot)
    : gateway(its_gateway),
      kept(gateway.memory),
      loop(index),
      redactor(gateway.scan_database, gateway.redaction_seed),
      recorder(loop, gateway.log,
               [this](const Record& record) { return encode_redacted(*this, record); }),
      sessions(index, gateway.sessions),
      upstream_events(make_upstream_events(*this)),
      upstreams(loop, gateway.memory, gateway.launcher, upstream_events),
      catalogue(
          loop, gateway.memory, gateway.schemas, gateway.seen_tools,
          [this](JsonValue entry) {
            return redactor.finds_in(this->snapshot->policy->redactions(), entry) ||
                   may_need_sanitising(entry);
          },
          [this](const InstanceKey& key, const std::string& method) {
            return record_gateway_message(*this, key, method);
          },
          [this](const std::string& server, ListKind kind, const ServerList& list) {
            if (kind == ListKind::tools) report_unapproved_tools(*this, server, list);
            gateway.seen_resources.note(server, kind, list);
            std::vector<std::string> names;
            names.reserve(list.entries.size());
            for (const ListedEntry& entry : list.entries)
              names.push_back(entry.name);
            gateway.learned(server, kind, std::move(names));
          }),
      snapshot(std::move(its_snapshot)),
      directory(std::make_shared<const Directory>()),
      last_announced_view{snapshot, directory} {
  upstreams.set_agents(gateway.agents);
}

void Worker::use(SnapshotPtr present) {
  snapshot = std::move(present);
  harmless_texts = {};
}

void Worker::show(View view) {
  use(std::move(view.snapshot));
  directory = std::move(view.directory);
  viewed_since = steady_now();
}

DecisionId Worker::next_decision_id() {
  // Coarse: the record beside it says when, to the microsecond.
  return make_decision_id(milliseconds_now(), random.draw<10>());
}

void Worker::expire_sessions() {
  const auto now = steady_now();
  for (const std::string& ended : sessions.expire(snapshot->config.session, now))
    end_owner(ended);
}

Era spoken_era(const Worker& worker, std::string_view server, Era clients) {
  const ServerState* state = worker.directory->find(server);
  return state == nullptr ? clients : state->spoken_for(clients);
}

Task<void> expire_everywhere(Loop& asking, Gateway& gateway) {
  for (const auto& worker : gateway.workers) {
    co_await Visit(asking, worker->loop, [one = worker.get()] {
      one->expire_sessions();
      return one->sessions.size();
    });
  }
}

void Worker::end_owner(const std::string& owner) {
  for (const auto& other : gateway.workers) {
    other->loop.post_answer([other = other.get(), owner] {
      other->upstreams.end_owner(owner);
      other->catalogue.forget_owner(owner);
    });
  }
}

}  // namespace bartizan
