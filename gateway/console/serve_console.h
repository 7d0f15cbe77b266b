#pragma once

#include <memory>

#include "gateway/console/answer_console.h"
#include "gateway/net/stream.h"
#include "gateway/status/status_server.h"

namespace bartizan {

/// Serves one browser's connection to the console. Requests are answered in order, each before the
/// next is read, and read as strictly as those of MCP clients. Heads, bodies, responses and idle
/// times have deadlines. A connection with an unread body or an unreadable head ends after its
/// response.
///
/// Input:   a stream after its TLS handshake, if it has one, that `all` has admitted.
/// Threads: those of the stream's loop, which is the console's.
Task<void> serve_console(std::unique_ptr<Stream> stream, StatusConnections& all, Console& console);

}  // namespace bartizan
