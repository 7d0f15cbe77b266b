#pragma once

#include <string_view>

#include "schemas/message/message.h"

namespace bartizan {

/// Whether a sentence is one by which known servers say that they do not know the session of a
/// request: it begins with those words, so that a sentence that quotes an argument is none.
///
/// Input: a message of an error, or the beginning of a body that is no JSON.
bool names_lost_session(std::string_view sentence);

/// Whether the answer to a request that named a session says that this session is gone, so that
/// nothing was done with the request.
///
/// An error under the request's own id is the answer to that request: it counts only with status
/// 400, where HTTP says that the request was refused, and with a code that servers have for it. An
/// error that names no request is the transport's.
///
/// Input:  `status`, any but 404, which says so by itself.
/// Source: MCP 2025-11-25, basic/transports, "Session Management"; what the official servers send.
bool says_session_lost(const Message& message, int status);

}  // namespace bartizan
