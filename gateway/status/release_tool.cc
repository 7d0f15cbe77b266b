#include "gateway/status/release_tool.h"

#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/list_changes.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kPath = "/api/release/";

/// What a path names; all empty where it names nothing.
ReleasedTool read_path(std::string_view path) {
  if (!path.starts_with(kPath)) return {};
  path.remove_prefix(kPath.size());
  const std::size_t first = path.find('/');
  const std::size_t last = path.rfind('/');
  if (first == path.npos || first == last) return {};
  ReleasedTool wanted{.server = std::string(path.substr(0, first)),
                      .tool = std::string(path.substr(first + 1, last - first - 1)),
                      .fingerprint = std::string(path.substr(last + 1))};
  return is_tool_name(wanted.tool) && !wanted.fingerprint.empty() ? wanted : ReleasedTool();
}

StatusPage refused(int status, std::string_view why) {
  return {.status = status, .body = R"({"released":false,"reason":)" + json_string(why) + "}\n"};
}

std::string_view why_not(SeenTools::Released released) {
  switch (released) {
    case SeenTools::Released::done:
      return "";
    case SeenTools::Released::unknown_tool:
      return "no such tool was listed since the gateway started";
    case SeenTools::Released::unknown_fingerprint:
      return "the server never listed that definition of the tool: /readyz and the log show the "
             "fingerprint of the one that it lists";
    case SeenTools::Released::too_many:
      return "the maximum number of accepted definitions of that tool is reached: approve one with "
             "bartizan pin";
  }
  return "";
}

/// Input: `why_not` is empty for what is released.
bool record_release(Gateway& gateway, const Policy& policy, const Operator& by,
                    const ReleasedTool& wanted, std::string_view why_not) {
  Record record{.kind = RecordKind::release, .time = system_now()};
  std::string detail = "fingerprint " + wanted.fingerprint;
  if (!why_not.empty()) {
    record.decision = "deny";
    detail += ", not released after all: " + std::string(why_not);
  }
  record.source = by.source;
  record.transport = by.transport;
  record.principal = by.principal;
  record.roles.assign(by.roles.begin(), by.roles.end());
  record.proof = by.proof;
  record.server = wanted.server;
  record.target = wanted.tool;
  record.policy = policy.digest();
  record.detail = detail;
  if (gateway.log.append({encode_record(record)}).has_value()) return true;
  gateway.log.count_lost();
  return false;
}

/// Tells clients that tools are listed that were not, or again.
void tell_sessions(Worker& worker, const std::string& server, const std::string& tool) {
  const std::int64_t now = seconds_now();
  worker.sessions.for_each([&](Session& session) {
    if (session.stream == nullptr || !session.offered.tools) return;
    const EvalContext of = any_call_at(now, session.endpoint);
    const Policy& policy = *worker.snapshot->policy;
    if (!policy.shows(*session.principal, TargetKind::tool, server, tool, of)) return;
    session.stream->send(changed_tools({}));
  });
}

}  // namespace

Task<ReleaseAnswer> release_definition(Loop& asking, Gateway& gateway, ReleasedTool wanted,
                                       Operator by) {
  using Kind = ReleaseAnswer::Kind;
  const SnapshotPtr snapshot =
      co_await Visit(asking, gateway.workers.front()->loop,
                     [worker = gateway.workers.front().get()] { return worker->snapshot; });
  const Policy& policy = *snapshot->policy;
  const PinnedTool* pin = policy.profiles().find_pin(wanted.server, wanted.tool);
  const std::string pinned = pin == nullptr ? std::string() : pin->fingerprint;
  SeenTools& seen = gateway.seen_tools;
  const auto known = seen.find(wanted.server, wanted.tool, wanted.fingerprint, pinned);
  if (known != SeenTools::Released::done) {
    co_return ReleaseAnswer{.kind = Kind::not_listed, .why = std::string(why_not(known))};
  }
  if (!record_release(gateway, policy, by, wanted, "")) {
    co_return ReleaseAnswer{.kind = Kind::not_recordable,
                            .why = "it cannot be recorded, so nothing was released"};
  }
  const auto released = seen.release(wanted.server, wanted.tool, wanted.fingerprint, pinned);
  if (released != SeenTools::Released::done) {
    record_release(gateway, policy, by, wanted, why_not(released));
    co_return ReleaseAnswer{.kind = Kind::not_listed, .why = std::string(why_not(released))};
  }
  log(LogLevel::info, "released",
      {{"server", wanted.server},
       {"name", wanted.tool},
       {"fingerprint", wanted.fingerprint},
       {"by", by.principal.empty() ? by.source : by.principal}});
  const auto server = snapshot->servers.find(wanted.server);
  const bool is_present = server != snapshot->servers.end();
  const Catalogue::Release release{.server = wanted.server,
                                   .generation = is_present ? server->second->generation : 0,
                                   .tool = wanted.tool,
                                   .fingerprint = wanted.fingerprint,
                                   .pinned = pinned};
  for (const auto& worker : gateway.workers) {
    co_await Visit(asking, worker->loop, [its = worker.get(), &wanted, &release] {
      its->catalogue.release(release);
      tell_sessions(*its, wanted.server, wanted.tool);
      return 0;
    });
  }
  gateway.views.fetch_add(1);
  co_return ReleaseAnswer();
}

Task<StatusPage> release_tool(Loop& asking, Gateway& gateway, AdminOrder order) {
  if (!order.path.starts_with(kPath)) co_return refused(405, "nothing is ordered there");
  const ReleasedTool wanted = read_path(order.path);
  if (wanted.tool.empty()) co_return refused(404, "/api/release/SERVER/TOOL/FINGERPRINT");
  const ReleaseAnswer answer = co_await release_definition(
      asking, gateway, wanted, {.source = order.peer, .transport = "admin"});
  switch (answer.kind) {
    case ReleaseAnswer::Kind::not_listed:
      co_return refused(409, answer.why);
    case ReleaseAnswer::Kind::not_recordable:
      co_return refused(503, answer.why);
    case ReleaseAnswer::Kind::released:
      break;
  }
  co_return StatusPage{.body = R"({"released":true,"server":)" + json_string(wanted.server) +
                               R"(,"tool":)" + json_string(wanted.tool) + R"(,"fingerprint":)" +
                               json_string(wanted.fingerprint) + "}\n"};
}

}  // namespace bartizan
