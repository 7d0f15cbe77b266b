#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "gateway/upstream/upstream.h"
#include "schemas/message/message.h"

namespace bartizan {

/// How the gateway names itself to its peers, as `clientInfo` and as `serverInfo`.
std::string gateway_info();

/// `params` of the gateway's own `initialize`: the newest legacy revision, and of the client
/// features only those that this server may ask for.
std::string initialize_params(const ServerConfig& server);

/// `params` of the gateway's own `server/discover`: the required `_meta`.
std::string modern_params(const ServerConfig& server);
/// `params` of the gateway's own request for a list in the modern era: the required `_meta`, then
/// `members`. It declares no client features, since lists need none.
std::string modern_list_params(std::string_view members);

/// The `params` of a modern request about that task. Input: its id as its server gave it.
std::string task_params(std::string_view task_id);

/// A request of the gateway's own. Its instance puts a number in the place of its id.
/// Input: `params`, one JSON object, or empty.
OutboundRequest own_request(GatewayMessage kind, std::string_view method, std::string_view params);

/// What the answer to `initialize` or `server/discover` says of the server.
/// Errors:  server_failed when it is no answer of that era, or names a revision nobody here speaks.
Result<ServerHandshake> read_introduction(const ServerConfig& server, Era era,
                                          const Message& answer);

/// Whether a server that refuses `server/discover` names a revision that is spoken here, so that it
/// is worth asking once more. Source:  MCP 2026-07-28, basic/versioning.
bool asks_for_another_try(const Message& answer);

/// The answer to a message of the gateway's own. What the server says before it goes to whom it is
/// for: pings are answered, changes of lists followed.
/// Errors: those of the call; timed_out after `wait`, however much the server says meanwhile.
Task<Result<ReceivedMessage>> next_answer(PendingCall& pending, const UpstreamEvents& events,
                                          const InstanceKey& key, std::chrono::milliseconds wait);

}  // namespace bartizan
