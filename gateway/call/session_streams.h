#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/reply/resumable_exchange.h"

namespace bartizan {

/// The exchange of an HTTP request. It may become resumable, unless the client accepts no stream.
///
/// Threads: the home worker's.
std::shared_ptr<Exchange> begin_exchange(Loop& home, StreamPreference wish, ReplyRoute route);

/// Makes the response to a call resumable, before the call is sent, if client, revision and size
/// allow it. `request` is the judged call. It is copied only for clients that can reconnect.
void offer_resumption(CallFrame& frame, std::string_view request);

/// A GET on the MCP endpoint.
struct StreamRequest {
  std::string session_id;
  std::string last_event_id;  ///< Empty where the client wants a new stream.
  Authenticated caller;
  SnapshotPtr snapshot;
  std::string source;
};

/// Begins the session's own stream. Ends `route` with not_found, or with overloaded if the
/// session's stream is in use.
///
/// Threads: the home worker's.
void begin_session_stream(Worker& home, const StreamRequest& request, ReplyRoute route);

/// Sends the events after a given one again, and continues the stream on the new connection. Before
/// that, the call is judged again under the present snapshot. The client gets a refusal as the
/// response.
///
/// Errors:  ends `route` with not_found for a session of another caller; invalid_request for an
///          event that is unknown or no longer kept; overloaded for a client that reconnects too
///          often, or was overtaken by a later one; not_recordable; server_unavailable if the
///          server's lists are not available for judging, or the configuration changed meanwhile.
/// Threads: the home worker's.
/// Cost:    one judgement and one record; nothing is copied, the events stay reserved.
/// Source:  MCP 2025-11-25, basic/transports, "Resumability and Redelivery".
Task<void> resume_stream(Worker& home, StreamRequest request, ReplyRoute route);

}  // namespace bartizan
