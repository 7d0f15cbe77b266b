#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/reply/resumable_exchange.h"

namespace bartizan {

/// The exchange of a request that came over HTTP: one that may become resumable unless the client
/// takes no stream.
///
/// Threads: the home worker's.
std::shared_ptr<Exchange> begin_exchange(Loop& home, StreamPreference wish, ReplyRoute route);

/// Lets the answer to a call that is about to leave be resumed, where client, revision and size
/// allow it. `request` is the call as it was judged. It is copied, for those alone who could come
/// back.
void offer_resumption(CallFrame& frame, std::string_view request);

/// A GET on the MCP endpoint.
struct StreamRequest {
  std::string session_id;
  std::string last_event_id;  ///< Empty where the client wants a new stream.
  Authenticated caller;
  SnapshotPtr snapshot;
  std::string source;
};

/// Begins the session's own stream, or ends `route` with not_found, or with overloaded where the
/// session has a stream that is in use.
///
/// Threads: the home worker's.
void begin_session_stream(Worker& home, const StreamRequest& request, ReplyRoute route);

/// Sends again what followed an event, and brings what is still to come to the new connection. The
/// call is judged again first, under the snapshot of now; a refusal is what the client then gets
/// for an answer.
///
/// Errors:  ends `route` with not_found for a session that is not the caller's; invalid_request
///          for an event that was never given out or is not kept any more; overloaded for who
///          comes back too often, or was overtaken by a later return; not_recordable;
///          server_unavailable where the server cannot now be asked what judging must know, or the
///          configuration changed meanwhile.
/// Threads: the home worker's.
/// Cost:    one judgement and one record; nothing is copied, the events stay reserved.
/// Source:  MCP 2025-11-25, basic/transports, "Resumability and Redelivery".
Task<void> resume_stream(Worker& home, StreamRequest request, ReplyRoute route);

}  // namespace bartizan
