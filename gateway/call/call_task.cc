// The side of requests: whose task it is, and whether its call may still be made.
#include "gateway/call/call_task.h"

#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"
#include "gateway/token/sealed_text.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// From that length on, an id of a server's is no part of other words.
constexpr std::size_t kTelltaleIdBytes = 8;

/// Who has a task: its id is worth nothing to anybody else.
std::string owner_of_task(const CallFrame& frame) {
  return frame.principal().id + '\n' + std::string(frame.call.facts.endpoint.value_or(""));
}

/// Whether a server's definition is the one that gave the task, and speaks its revision.
bool is_same_server(CallFrame& frame, const TaskOrigin& origin) {
  const auto server = frame.snapshot().config.servers.find(origin.server);
  const auto definition = frame.snapshot().servers.find(origin.server);
  return server != frame.snapshot().config.servers.end() &&
         definition != frame.snapshot().servers.end() &&
         definition->second->generation == origin.generation &&
         spoken_era(frame.worker, origin.server, Era::modern) == Era::modern;
}

/// A member with its name and one comma: without it, its object is still one.
ByteRange place_of(JsonValue object, std::string_view name) {
  std::optional<std::size_t> before;
  std::optional<ByteRange> found;
  for (const JsonValue member : object) {
    if (found.has_value() && !before.has_value()) return {found->begin, member.key_range().begin};
    if (found.has_value()) break;
    if (member.key() == name) {
      found = {before.value_or(member.key_range().begin), member.range().end};
    } else {
      before = member.range().end;
    }
  }
  return found.value_or(ByteRange());
}

}  // namespace

bool takes_tasks(const CallFrame& frame) {
  return frame.method() == MethodId::tools_call && frame.inbound.era == Era::modern &&
         frame.target.server != nullptr && frame.target.upstream.key().era == Era::modern &&
         declares_tasks(frame.message().meta);
}

std::shared_ptr<OpenTask> find_own_task(CallFrame& frame, std::string_view id) {
  const auto text = open_sealed_text(SealedFor::task_id, id, owner_of_task(frame),
                                     frame.worker.gateway.request_state_key);
  if (!text.has_value()) return nullptr;
  std::uint64_t number = 0;
  std::from_chars(text->data(), text->data() + text->size(), number);
  std::shared_ptr<OpenTask> task = frame.worker.gateway.tasks.find(number);
  if (task == nullptr || task->origin().client_id != id) return nullptr;
  if (is_same_server(frame, task->origin())) return task;
  // Nobody can ask for it any more.
  task->end();
  return nullptr;
}

std::string task_id_for(const CallFrame& frame, std::uint64_t number) {
  return seal_text(SealedFor::task_id, std::to_string(number), owner_of_task(frame),
                   frame.worker.gateway.request_state_key, frame.worker.random);
}

std::unique_ptr<CallFrame> make_origin(CallFrame& frame, const std::shared_ptr<OpenTask>& task) {
  Receipt receipt = receive_message(frame.worker.loop, frame.worker.gateway.memory,
                                    Bytes(task->origin().request), {});
  if (!receipt.has_value()) return nullptr;
  const Inbound& asked = frame.inbound;
  Inbound inbound{.received = std::move(*receipt),
                  .era = Era::modern,
                  .version = asked.version,
                  .snapshot = asked.snapshot,
                  .caller = asked.caller,
                  .source = asked.source,
                  .transport = asked.transport,
                  .of_task = task,
                  .received_at = asked.received_at};
  if (frame.method() == MethodId::subscriptions_listen) {
    // What a subscription lets through is judged by the policy of the moment.
    const auto present = review_caller(frame);
    if (!present.has_value()) return nullptr;
    inbound.snapshot = frame.worker.snapshot;
    inbound.caller.principal = *present;
  }
  auto origin = std::make_unique<CallFrame>(frame.worker,
                                            std::make_unique<Inbound>(std::move(inbound)), nullptr);
  origin->decision_id = frame.decision_id;
  origin->findings.task = detail_of_task(*task);
  return origin;
}

std::string detail_of_task(const OpenTask& task) {
  return "task of " + std::string(task.origin().decision_id.view());
}

Task<std::variant<const RuleInfo*, Denial>> judge_call_of_task(CallFrame& origin) {
  auto judged = co_await judge_again(origin);
  const TaskOrigin& sent = origin.inbound.of_task->origin();
  origin.rewrites.restored_tokens = sent.restored_tokens;
  origin.rewrites.restored_values = sent.restored_values;
  // In its texts the server's own id is the client's, too, where it cannot be an ordinary word.
  if (sent.server_id.size() >= kTelltaleIdBytes) {
    origin.rewrites.restored_values.push_back({.text = sent.client_id, .value = sent.server_id});
  }
  co_return judged;
}

Task<void> judge_origin(CallFrame& frame) {
  if (!is_about_task(frame.method()) || frame.task.task == nullptr) co_return;
  frame.task.origin = make_origin(frame, frame.task.task);
  if (frame.task.origin == nullptr) {
    frame.task.refusal = Denial{"gateway", Decision::deny(Reason::overloaded)};
    co_return;
  }
  auto judged = co_await judge_call_of_task(*frame.task.origin);
  auto* denial = std::get_if<Denial>(&judged);
  // Whoever may not make a call may still end it.
  if (denial != nullptr && frame.method() != MethodId::tasks_cancel) {
    frame.task.refusal = std::move(*denial);
  }
}

void splice_task_ids(const CallFrame& frame, std::string_view server, Permit& permit) {
  const JsonValue params = frame.message().params;
  if (frame.task.task != nullptr && is_about_task(frame.method())) {
    permit.splice(SpliceKind::task_id, params.find("taskId").range(),
                  json_string(frame.task.task->origin().server_id));
    return;
  }
  const JsonValue notifications = params.find("notifications");
  const JsonValue wanted = notifications.find("taskIds");
  if (frame.method() != MethodId::subscriptions_listen || !wanted) return;
  const auto config = frame.snapshot().config.servers.find(server);
  const bool may_know = config != frame.snapshot().config.servers.end() &&
                        allows(config->second.client_features, ClientFeature::tasks);
  if (!may_know) {
    const JsonValue extensions =
        frame.message().meta.find(meta_key::client_capabilities).find("extensions");
    permit.splice(SpliceKind::task_id, place_of(notifications, "taskIds"), "");
    if (extensions.find(kTasksExtension)) {
      permit.splice(SpliceKind::task_id, place_of(extensions, kTasksExtension), "");
    }
    return;
  }
  std::string array = "[";
  for (const std::shared_ptr<OpenTask>& task : frame.task.followed) {
    if (task->origin().server != server) continue;
    if (array.size() > 1) array += ',';
    append_json_string(array, task->origin().server_id);
  }
  permit.splice(SpliceKind::task_id, wanted.range(), array + "]");
}

std::string followed_ids(const CallFrame& frame, JsonValue agreed) {
  std::set<std::string_view> ids;
  for (const JsonValue id : agreed)
    ids.insert(id.text());
  std::string array = "[";
  for (const std::shared_ptr<OpenTask>& task : frame.task.followed) {
    const TaskOrigin& origin = task->origin();
    if (origin.server != frame.call.server || !ids.contains(origin.server_id)) continue;
    if (array.size() > 1) array += ',';
    append_json_string(array, task->origin().client_id);
  }
  return array + "]";
}

}  // namespace bartizan
