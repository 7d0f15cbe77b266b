#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "gateway/upstream/upstream.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The gateway's name for its peers, as `clientInfo` and as `serverInfo`.
std::string gateway_info();

/// The `params` of the gateway's own `initialize`. They have the newest legacy revision, and only
/// those client features that this server may use.
std::string initialize_params(const ServerConfig& server);

/// The `params` of the gateway's own `server/discover`: the required `_meta`.
std::string modern_params(const ServerConfig& server);
/// The `params` of the gateway's own list request in the modern era: the required `_meta`, then
/// `members`. They declare no client features, since lists need none.
std::string modern_list_params(std::string_view members);

/// The `params` of a modern request about that task. Input: the id that its server gave it.
std::string task_params(std::string_view task_id);

/// A request of the gateway's own. Its instance replaces its id with a number.
/// Input: `params`, one JSON object, or empty.
OutboundRequest own_request(GatewayMessage kind, std::string_view method, std::string_view params);

/// Reads the server's introduction from its answer to `initialize` or `server/discover`.
/// Errors: server_failed if it is not an answer of that era, or names a revision that the gateway
///         does not speak.
Result<ServerHandshake> read_introduction(const ServerConfig& server, Era era,
                                          const Message& answer);

/// Whether a server that refuses `server/discover` names a revision that the gateway speaks. A
/// second attempt may then succeed. Source:  MCP 2026-07-28, basic/versioning.
bool asks_for_another_try(const Message& answer);

/// The answer to a message of the gateway's own. Earlier messages of the server are handled: pings
/// are answered, and other messages are reported as `UpstreamEvents::message`.
/// Errors: those of the call; timed_out after `wait`, even if other messages arrive meanwhile.
Task<Result<ReceivedMessage>> next_answer(PendingCall& pending, const UpstreamEvents& events,
                                          const InstanceKey& key, std::chrono::milliseconds wait);

}  // namespace bartizan
