#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/trust.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The replacement of a server's JSON-RPC error for a client of that trust, if the server has
/// `server_errors = "by_trust"`. Nothing if the client gets the error itself. The replacement keeps
/// the code, has a fixed sentence as its message, and no `data`.
///
/// Trust `verified` and `system` get the error itself. So do all clients for codes that they must
/// act on: −32602, −32042, and −32020 to −32022.
///
/// Input:  an answer that is an error; `id_json` as the client spelled it.
/// Source: MCP 2026-07-28, basic/index, "Error Codes"; 2025-11-25, client/elicitation, "URL
///         Elicitation Required Error".
std::optional<std::string> error_by_trust(const Message& answer, std::string_view id_json,
                                          Trust trust);

/// A server's JSON-RPC error for the detail of a record: its message and its `data`, as JSON.
/// Input: an answer that is an error, after redaction.
std::string recorded_error(const Message& answer);

}  // namespace bartizan
