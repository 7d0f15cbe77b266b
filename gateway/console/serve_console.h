#pragma once

#include <memory>

#include "gateway/console/answer_console.h"
#include "gateway/net/stream.h"
#include "gateway/status/status_server.h"

namespace bartizan {

/// Serves one connection of a browser to the console: requests in order, each read as strictly as
/// those of MCP clients and answered before the next is read. Heads, bodies, answers and silence
/// have deadlines. A connection with a body that nobody read, or with a head that cannot be read,
/// ends with its answer.
///
/// Input:   a stream whose TLS handshake is done, if it has one, and which `all` has admitted.
/// Threads: those of the stream's loop, which is the console's.
Task<void> serve_console(std::unique_ptr<Stream> stream, StatusConnections& all, Console& console);

}  // namespace bartizan
