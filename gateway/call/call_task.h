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

/// The task with that id of this caller at this endpoint; null if there is none, or if its server
/// has another definition now.
std::shared_ptr<OpenTask> find_own_task(CallFrame& frame, std::string_view id);

/// Judges the call of the task again that the request polls, answers or ends: `TaskPart::origin`,
/// and `refusal` if the call is not permitted any more. A cancellation may still be sent.
Task<void> judge_origin(CallFrame& frame);

/// Seals the id of a new task for the caller. Empty if the library has no memory.
std::string task_id_for(const CallFrame& frame, std::uint64_t number);

/// The call of a task, with the caller of `frame`. Null where there is no memory for it.
std::unique_ptr<CallFrame> make_origin(CallFrame& frame, const std::shared_ptr<OpenTask>& task);

/// Judges the call of a task again, by the present policy. Messages of its server about the task
/// are cleaned like a response to that call.
Task<std::variant<const RuleInfo*, Denial>> judge_call_of_task(CallFrame& origin);

/// The text about a task in records: the decision of its call.
std::string detail_of_task(const OpenTask& task);

/// Inserts the ids of `server` into a message to it: of the task that the request names, or of the
/// subscription's tasks on that server.
void splice_task_ids(const CallFrame& frame, std::string_view server, Permit& permit);

/// The client's ids of the subscription's tasks that a server accepted: a JSON array. Input: the
/// server's ids, as it acknowledged them.
std::string followed_ids(const CallFrame& frame, JsonValue agreed);

/// Stores the task that a server's response begins, and seals its id for the client. Returns why
/// the response may not pass; nothing if it may, or begins no task.
/// Errors: server_failed, overloaded.
std::optional<Error> open_task(CallFrame& frame, ReceivedMessage& answer);

/// Whether a message has the state of a task: the response to `tasks/get`, or a notification of a
/// task.
bool tells_of_task(const CallFrame& frame, const Message& message);

/// Why a server's message about a task is withheld: a failure of the server, or a refusal.
struct TaskFault {
  std::optional<Error> failure = std::nullopt;
  Reason refusal = Reason::none;
};

/// Cleans a server's message about a task. The result, error or requests in it are judged like a
/// response to the call. The cleaned message is in `received`, with the client's id of the task.
/// `withheld` if nothing may pass.
/// Input: `origin`, the call of the task, judged again; `before`, what the server said before in
/// the same stream.
Task<std::expected<RewriteOutcome, TaskFault>> clean_task(
    CallFrame& frame, CallFrame& origin, OpenTask& task, ReceivedMessage& received,
    const std::vector<std::string_view>& before);

/// Adds the redactions and sanitisings for the call of a task to the record of `frame`.
void take_findings(CallFrame& frame, CallFrame& origin);

/// The client does not get the task of its call: asks the server to end it.
void forget_begun_task(CallFrame& frame);

/// Notes that a server acknowledged the end of a task, or has no such task any more. The limits of
/// its call are released.
/// Source: MCP extension io.modelcontextprotocol/tasks, "Protocol Errors".
void note_end_of_task(CallFrame& frame, const Message& answer);

/// Whether it is the result of `tasks/update` or `tasks/cancel`, which has no contents.
bool is_acknowledgement_of_task(const CallFrame& frame, const Message& answer);
/// Removes everything that a server put into it. False if there is no memory for that.
bool empty_acknowledgement(CallFrame& frame, ReceivedMessage& answer);

}  // namespace bartizan
