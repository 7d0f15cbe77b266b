#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/worker/open_tasks.h"

namespace bartizan {

// Tasks of the extension io.modelcontextprotocol/tasks. A server answers a call with a task, and
// its client asks for the task until that has the call's result. Whoever asks has to be who called,
// the call has to be one that may still be made, and what the server tells of it passes what an
// answer of the call would have to pass.

/// Whether the call, as it is sent, may be answered with a task: its client declares the extension,
/// and its server may use it.
bool takes_tasks(const CallFrame& frame);

/// The task that was given to this caller, at this endpoint, under that id; null where there is
/// none, or its server has another definition now.
std::shared_ptr<OpenTask> find_own_task(CallFrame& frame, std::string_view id);

/// Judges the call again whose task the request asks for, answers or ends: `TaskPart::origin`, and
/// `refusal` where it may not be made any more. A cancellation may be sent all the same.
Task<void> judge_origin(CallFrame& frame);

/// Seals the id of a new task for the caller. Empty where the library has no memory.
std::string task_id_for(const CallFrame& frame, std::uint64_t number);

/// The call of a task, with the caller of `frame`. Null where there is no memory for it.
std::unique_ptr<CallFrame> make_origin(CallFrame& frame, const std::shared_ptr<OpenTask>& task);

/// Judges the call of a task once more, by the policy of now, and has what its server tells of it
/// cleaned as an answer of it would be.
Task<std::variant<const RuleInfo*, Denial>> judge_call_of_task(CallFrame& origin);

/// What records say of a task: the decision of its call.
std::string detail_of_task(const OpenTask& task);

/// Puts the ids of `server` into what it is sent: of the task that the request names, or those of
/// the subscription's tasks that are its own.
void splice_task_ids(const CallFrame& frame, std::string_view server, Permit& permit);

/// The ids of the subscription's tasks that a server agreed to, as its client knows them: a JSON
/// array. Input: its own ids, as it acknowledged them.
std::string followed_ids(const CallFrame& frame, JsonValue agreed);

/// Remembers the task that a server's answer begins, and seals its id for the client. Why the
/// answer may not pass; nothing where it may, or begins none.
/// Errors: server_failed, overloaded.
std::optional<Error> open_task(CallFrame& frame, ReceivedMessage& answer);

/// Whether a message tells how a task stands: what `tasks/get` is answered, or news of a task.
bool tells_of_task(const CallFrame& frame, const Message& message);

/// Why nothing of what a server told of a task may pass: a failure of the server's, or a refusal.
struct TaskFault {
  std::optional<Error> failure = std::nullopt;
  Reason refusal = Reason::none;
};

/// Cleans what a server told of a task, and judges what it has of the call's result, error or
/// requests as if the call had been answered by it. What is left is in `received`, under the
/// client's id of the task. `withheld` where nothing may pass.
/// Input: `origin`, the call of the task, judged again; `before`, what the server said before in
/// the same stream.
Task<std::expected<RewriteOutcome, TaskFault>> clean_task(
    CallFrame& frame, CallFrame& origin, OpenTask& task, ReceivedMessage& received,
    const std::vector<std::string_view>& before);

/// What was redacted and sanitised for the call of a task goes on the record of `frame`.
void take_findings(CallFrame& frame, CallFrame& origin);

/// The client does not hear of the task that its call was answered with: the server is asked to end
/// it.
void forget_begun_task(CallFrame& frame);

/// Notes that a server acknowledged the end of a task, or does not have it any more: what its call
/// took from limits is free.
/// Source: MCP extension io.modelcontextprotocol/tasks, "Protocol Errors".
void note_end_of_task(CallFrame& frame, const Message& answer);

/// Whether the result of `tasks/update` or `tasks/cancel`, which says nothing but that it is one.
bool is_acknowledgement_of_task(const CallFrame& frame, const Message& answer);
/// Takes all out of it that a server put there. False where there is no memory for that.
bool empty_acknowledgement(CallFrame& frame, ReceivedMessage& answer);

}  // namespace bartizan
