#pragma once

#include <string_view>

#include "schemas/message/message.h"

namespace bartizan {

/// Whether a sentence begins with the words by which known servers reject an unknown session. Only
/// the beginning counts, so a sentence that quotes an argument does not match.
///
/// Input: the message of an error, or the beginning of a body that is not JSON.
bool names_lost_session(std::string_view sentence);

/// Whether the response to a request that named a session says that the session is lost. The
/// request was then not run.
///
/// An error under the request's own id is the response to that request. It counts only with status
/// 400, which says that HTTP refused the request, and with a code that servers use for lost
/// sessions. An error that names no request is the transport's.
///
/// Input:  `status`, any but 404. A 404 means a lost session by itself.
/// Source: MCP 2025-11-25, basic/transports, "Session Management"; what the official servers send.
bool says_session_lost(const Message& message, int status);

}  // namespace bartizan
