// The side of requests: whose task it is, and whether its call may still be made.
#include "gateway/call/call_task.h"

#include <charconv>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"
#include "gateway/token/sealed_text.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

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
  const bool is_own =
      task != nullptr && task->origin().client_id == id && is_same_server(frame, task->origin());
  return is_own ? task : nullptr;
}

std::string task_id_for(const CallFrame& frame, std::uint64_t number) {
  return seal_text(SealedFor::task_id, std::to_string(number), owner_of_task(frame),
                   frame.worker.gateway.request_state_key, frame.worker.random);
}

std::unique_ptr<CallFrame> make_origin(CallFrame& frame, const OpenTask& task) {
  Receipt receipt = receive_message(frame.worker.loop, frame.worker.gateway.memory,
                                    Bytes(task.origin().request), {});
  if (!receipt.has_value()) return nullptr;
  const Inbound& asked = frame.inbound;
  Inbound inbound{.received = std::move(*receipt),
                  .era = Era::modern,
                  .version = asked.version,
                  .snapshot = asked.snapshot,
                  .caller = asked.caller,
                  .source = asked.source,
                  .transport = asked.transport,
                  .is_of_task = true,
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
  return origin;
}

Task<void> judge_origin(CallFrame& frame) {
  const MethodId method = frame.method();
  const bool is_needed = method == MethodId::tasks_get || method == MethodId::tasks_update;
  if (!is_needed || frame.task.task == nullptr) co_return;
  frame.task.origin = make_origin(frame, *frame.task.task);
  if (frame.task.origin == nullptr) {
    frame.task.refusal = Denial{"gateway", Decision::deny(Reason::overloaded)};
    co_return;
  }
  auto judged = co_await judge_again(*frame.task.origin);
  if (auto* denial = std::get_if<Denial>(&judged)) frame.task.refusal = std::move(*denial);
}

void splice_task_ids(const CallFrame& frame, std::string_view server, Permit& permit) {
  const JsonValue params = frame.message().params;
  if (frame.task.task != nullptr && is_about_task(frame.method())) {
    permit.splice(SpliceKind::task_id, params.find("taskId").range(),
                  json_string(frame.task.task->origin().server_id));
    return;
  }
  const JsonValue wanted = params.find("notifications").find("taskIds");
  if (frame.method() != MethodId::subscriptions_listen || !wanted) return;
  std::string array = "[";
  for (const std::shared_ptr<OpenTask>& task : frame.task.followed) {
    if (task->origin().server != server) continue;
    if (array.size() > 1) array += ',';
    append_json_string(array, task->origin().server_id);
  }
  permit.splice(SpliceKind::task_id, wanted.range(), array + "]");
}

std::string followed_ids(const CallFrame& frame) {
  std::string array = "[";
  for (const std::shared_ptr<OpenTask>& task : frame.task.followed) {
    if (array.size() > 1) array += ',';
    append_json_string(array, task->origin().client_id);
  }
  return array + "]";
}

}  // namespace bartizan
