// The side of answers: what a server tells of a task passes what an answer of its call would have
// to.
#include <algorithm>
#include <array>
#include <utility>

#include "gateway/bridge/bridged_call.h"
#include "gateway/call/answer_verdict.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/call_task.h"
#include "gateway/call/clean_message.h"
#include "gateway/call/validate_answer.h"
#include "gateway/message/restore_message.h"
#include "gateway/runtime/clock.h"
#include "gateway/upstream/server_handshake.h"
#include "gateway/worker/redact_text.h"
#include "schemas/base/contains.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// A member's time; nothing where it has none, or is not bounded.
std::optional<std::chrono::milliseconds> milliseconds_of(JsonValue value) {
  const auto number = value.integer();
  if (!number.has_value() || *number < 0) return std::nullopt;
  const auto longest = std::chrono::milliseconds(limits::task_idle_max);
  return std::min(std::chrono::milliseconds(*number), longest);
}

constexpr std::array<std::string_view, 5> kStatuses{"working", "input_required", "completed",
                                                    "failed", "cancelled"};

/// How long a server has to end a task that nobody will ask for.
constexpr std::chrono::seconds kEndPatience{10};

/// Members of a result that a task at its beginning has not, since nobody would judge them.
constexpr std::array<std::string_view, 7> kNotAtBeginning{
    "result", "error", "inputRequests", "requestState", "content", "isError", "structuredContent"};

/// What is wrong with a task that an answer begins; empty for nothing.
std::string_view flaw_of_beginning(JsonValue result) {
  const std::string_view id = result.find("taskId").text();
  if (id.empty() || id.size() > limits::task_id_bytes_max) {
    return "the server's task has no usable taskId";
  }
  if (!contains(kStatuses, result.find("status").text())) {
    return "the server's task has no known status";
  }
  for (const JsonValue member : result) {
    if (contains(kNotAtBeginning, member.key())) {
      return "the server's task has more than a task has at its beginning";
    }
    if (is_ambiguous_member(member.key(), MemberPlace::params)) {
      return "a member of the server's task is spelled like another";
    }
  }
  return {};
}

JsonValue details_of(const Message& message) {
  return message.kind == MessageKind::notification ? message.params : message.result;
}

/// The member in which a task of that status has what its call is answered with; empty for none.
std::string_view payload_of_status(std::string_view status) {
  if (status == "completed") return "result";
  if (status == "failed") return "error";
  return status == "input_required" ? "inputRequests" : std::string_view();
}

constexpr std::array<std::string_view, 3> kPayloads{"result", "error", "inputRequests"};

bool is_terminal(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

/// What is wrong with what a server tells of that task; empty for nothing.
std::string_view flaw_of_details(JsonValue details, const OpenTask& task) {
  if (details.find("taskId").text() != task.origin().server_id) {
    return "the server tells of another task";
  }
  const std::string_view status = details.find("status").text();
  if (!contains(kStatuses, status)) return "the server's task has no known status";
  const std::string_view payload = payload_of_status(status);
  if (!payload.empty() && !details.find(payload).is(JsonType::object)) {
    return "the server's task lacks what its status promises";
  }
  for (const JsonValue member : details) {
    const std::string_view key = member.key();
    const bool is_misplaced = contains(kPayloads, key) && key != payload;
    if (is_misplaced || key == "requestState") {
      return "the server's task has a member that its status does not have";
    }
    if (is_ambiguous_member(key, MemberPlace::params)) {
      return "a member of the server's task is spelled like another";
    }
  }
  return {};
}

Error failure_of_server(std::string_view sentence) {
  return {ErrorCode::server_failed, Fault::server, std::string(sentence)};
}

using Refused = std::unexpected<TaskFault>;

/// The answer that a call would have had, whose task has that.
std::string as_answer(const CallFrame& origin, std::string_view member, std::string_view raw) {
  std::string text = R"({"jsonrpc":"2.0","id":)" + origin.id_text + ",";
  if (member == "inputRequests") {
    return text + R"("result":{"resultType":"input_required","inputRequests":)" + std::string(raw) +
           "}}";
  }
  return text + "\"" + std::string(member) + "\":" + std::string(raw) + "}";
}

/// A member of a message's text, or of its result.
std::expected<std::string, TaskFault> member_of(CallFrame& frame, std::string text,
                                                std::string_view member) {
  Receipt read = receive_message(frame.worker.loop, frame.worker.gateway.memory,
                                 Bytes(std::move(text)), kRewrittenLimits);
  if (!read.has_value()) return Refused({.refusal = Reason::overloaded});
  const JsonValue holder = member == "inputRequests" ? read->message.result : read->message.root;
  std::string raw(holder.find(member).raw());
  frame.worker.loop.give_back(std::move(read->document));
  return raw;
}

/// Judges what a task has of its call's result, error or requests as the answer of that call, and
/// answers what the client may have of it, as JSON.
Task<std::expected<std::string, TaskFault>> judge_payload(CallFrame& frame, CallFrame& origin,
                                                          std::string member, std::string raw) {
  Receipt receipt = receive_message(origin.worker.loop, origin.worker.gateway.memory,
                                    Bytes(as_answer(origin, member, raw)), kResponseLimits);
  if (!receipt.has_value()) {
    co_return Refused(
        {.failure = failure_of_server("the server's task has no result that MCP allows")});
  }
  ReceivedMessage answer = std::move(*receipt);
  const bool may_pass = clean_message(origin, answer) == RewriteOutcome::passes;
  const JsonValue type = answer.message.result.find("resultType");
  const bool is_result = member == "result";
  if (is_result && type && type.text() != "complete") {
    co_return Refused(
        {.failure = failure_of_server("the server's task is completed by no result")});
  }
  if (const auto why = validate_answer(origin, answer.message)) {
    co_return Refused({.failure = failure_of_server(*why)});
  }
  if (brings_requests(answer.message)) {
    const Decision asked = co_await judge_input_requests(origin, answer.message);
    if (asked.denies()) co_return Refused({.refusal = asked.reason});
  }
  AnswerVerdict verdict(origin);
  if (may_pass) {
    verdict.judge(answer.message);
  } else {
    verdict.withhold(Decision::deny(Reason::content_withheld));
  }
  frame.task.ending = verdict.ending(answer.message);
  // Only a result has a place for what is said instead.
  if (verdict.is_withheld() && !is_result) co_return Refused({.refusal = verdict.reason()});
  std::string text = verdict.is_withheld() ? verdict.without_withheld(answer)
                     : member == "error"
                         ? told_error(origin, answer)
                         : restore_result(std::move(answer.bytes), answer.message, origin.id_text);
  origin.worker.loop.give_back(std::move(answer.document));
  co_return member_of(origin, std::move(text), member);
}

/// The message with some of its members replaced. False where it cannot be read any more.
bool replace_members(CallFrame& frame, ReceivedMessage& received, std::vector<Splice> splices) {
  sort_splices(splices);
  std::string text;
  append_spliced(text, received.bytes.view(), splices);
  return read_again(frame, received, std::move(text), Copies::differ) == RewriteOutcome::passes;
}

/// Has the server end a task that nobody will ask for.
Task<void> end_at_server(Worker& worker, UpstreamHandle server, std::string server_id) {
  const auto pending = std::make_shared<PendingCall>(worker.loop);
  const std::string params = task_params(server_id);
  co_await send_own({worker.loop, worker.gateway.memory, worker.random, worker.upstream_events},
                    server, GatewayMessage::tasks_cancel, "tasks/cancel", params, pending);
  const auto answer = co_await pending->next(kEndPatience);
  if (!answer.has_value()) server.cancel(pending);
}

void drop_at_server(CallFrame& frame, std::string server_id) {
  spawn(frame.worker.loop,
        end_at_server(frame.worker, frame.target.upstream, std::move(server_id)));
}

}  // namespace

void take_findings(CallFrame& frame, CallFrame& origin) {
  for (const Redacted& one : std::exchange(origin.findings.redacted, {}))
    add(frame.findings.redacted, one);
  for (const Sanitised& one : std::exchange(origin.findings.sanitised, {}))
    add(frame.findings.sanitised, one);
}

std::optional<Error> open_task(CallFrame& frame, ReceivedMessage& answer) {
  const JsonValue result = answer.message.result;
  if (result.find("resultType").text() != "task") return std::nullopt;
  if (const std::string_view flaw = flaw_of_beginning(result); !flaw.empty()) {
    return Error{ErrorCode::server_failed, Fault::server, std::string(flaw)};
  }
  Error overloaded{ErrorCode::overloaded, Fault::gateway, "the caller has too many tasks"};
  OpenTasks& tasks = frame.worker.gateway.tasks;
  const std::uint64_t number = tasks.next_number();
  TaskOrigin origin{.principal = frame.principal().id,
                    .endpoint = std::string(frame.call.facts.endpoint.value_or("")),
                    .server = std::string(frame.call.server),
                    .generation = frame.target.upstream.key().generation,
                    .server_id = std::string(result.find("taskId").text()),
                    .client_id = task_id_for(frame, number),
                    .tool = frame.target.name,
                    .request = std::string(frame.call.bytes.view()),
                    .source = frame.inbound.source,
                    .decision_id = frame.decision_id,
                    .restored_tokens = frame.rewrites.restored_tokens,
                    .restored_values = frame.rewrites.restored_values};
  const std::string server_id = origin.server_id;
  const std::string client_id = json_string(origin.client_id);
  MemoryBudget::Reservation memory;
  std::shared_ptr<OpenTask> task;
  if (hold(frame.worker.gateway.memory, memory, origin.request.size())) {
    task = tasks.add(number, std::move(origin), std::move(memory), steady_now(),
                     std::move(frame.task.place));
  }
  if (task == nullptr) {
    drop_at_server(frame, server_id);
    return overloaded;
  }
  const std::string status(result.find("status").text());
  // Its bytes are charged with the call.
  task->note(steady_now(), milliseconds_of(result.find("ttlMs")),
             milliseconds_of(result.find("pollIntervalMs")).value_or(std::chrono::milliseconds(0)),
             0);
  std::string named;
  append_spliced(named, answer.bytes.view(),
                 {{SpliceKind::task_id, result.find("taskId").range(), client_id}});
  if (read_again(frame, answer, std::move(named), Copies::differ) != RewriteOutcome::passes) {
    task->end();
    drop_at_server(frame, server_id);
    return overloaded;
  }
  if (is_terminal(status)) task->end();
  frame.task.task = std::move(task);
  return std::nullopt;
}

void forget_begun_task(CallFrame& frame) {
  if (frame.method() != MethodId::tools_call || frame.task.task == nullptr) return;
  const bool has_ended = frame.task.task->is_over();
  frame.task.task->end();
  if (!has_ended) drop_at_server(frame, frame.task.task->origin().server_id);
  frame.task.task.reset();
}

void note_end_of_task(CallFrame& frame, const Message& answer) {
  if (frame.task.task == nullptr) return;
  const MethodId method = frame.method();
  const bool is_cancelled =
      method == MethodId::tasks_cancel && answer.kind == MessageKind::response;
  // In `tasks/update` it may also be the client's answers that the server cannot use.
  const bool is_gone = (method == MethodId::tasks_get || method == MethodId::tasks_cancel) &&
                       has_code(answer, RpcCode::invalid_params);
  if (is_cancelled || is_gone) frame.task.task->end();
}

bool is_acknowledgement_of_task(const CallFrame& frame, const Message& answer) {
  const bool has_one =
      frame.method() == MethodId::tasks_update || frame.method() == MethodId::tasks_cancel;
  return has_one && answer.kind == MessageKind::response;
}

bool empty_acknowledgement(CallFrame& frame, ReceivedMessage& answer) {
  return replace_members(
      frame, answer,
      {{SpliceKind::task_id, answer.message.result.range(), R"({"resultType":"complete"})"}});
}

bool tells_of_task(const CallFrame& frame, const Message& message) {
  if (message.kind == MessageKind::notification) {
    return message.known->id == MethodId::notifications_tasks;
  }
  return message.kind == MessageKind::response && frame.method() == MethodId::tasks_get;
}

Task<std::expected<RewriteOutcome, TaskFault>> clean_task(
    CallFrame& frame, CallFrame& origin, OpenTask& task, ReceivedMessage& received,
    const std::vector<std::string_view>& before) {
  if (const auto why = validate_answer(frame, received.message);
      received.message.is_answer() && why.has_value()) {
    co_return Refused({.failure = failure_of_server(*why)});
  }
  const JsonValue details = details_of(received.message);
  if (const std::string_view flaw = flaw_of_details(details, task); !flaw.empty()) {
    co_return Refused({.failure = failure_of_server(flaw)});
  }
  const std::string status(details.find("status").text());
  const std::string member(payload_of_status(status));
  task.note(steady_now(), milliseconds_of(details.find("ttlMs")),
            milliseconds_of(details.find("pollIntervalMs")).value_or(std::chrono::milliseconds(0)),
            received.bytes.size());
  if (is_terminal(status)) task.end();

  // 1. Take out of it what the call is answered with, and the id, which is the protocol's.
  std::string payload;
  std::vector<Splice> emptied{{SpliceKind::task_id, details.find("taskId").range(), "\"\""}};
  if (!member.empty()) {
    payload = details.find(member).raw();
    emptied.push_back({SpliceKind::task_id, details.find(member).range(), "{}"});
  }
  if (!replace_members(frame, received, std::move(emptied))) {
    co_return Refused({.refusal = Reason::overloaded});
  }
  // 2. What is left speaks of the call's tool.
  const bool passes = clean_message(origin, received, before) == RewriteOutcome::passes;
  // 3. Judge what was taken out as an answer of the call.
  std::vector<Splice> splices;
  if (passes && !member.empty()) {
    auto judged = co_await judge_payload(frame, origin, member, std::move(payload));
    if (!judged.has_value()) {
      take_findings(frame, origin);
      co_return std::unexpected(std::move(judged.error()));
    }
    splices.push_back({SpliceKind::task_id, details_of(received.message).find(member).range(),
                       std::move(*judged)});
  }
  take_findings(frame, origin);
  if (!passes) co_return RewriteOutcome::withheld;
  // Whatever of it the client gets, it has read what the call would have told it.
  if (!follow_flow(origin).has_value()) co_return Refused({.refusal = Reason::overloaded});
  // 4. Put what is left of it in, under the client's id of the task.
  splices.push_back({SpliceKind::task_id, details_of(received.message).find("taskId").range(),
                     json_string(task.origin().client_id)});
  if (!replace_members(frame, received, std::move(splices))) {
    co_return Refused({.refusal = Reason::overloaded});
  }
  co_return RewriteOutcome::passes;
}

}  // namespace bartizan
