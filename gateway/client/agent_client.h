#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/framing/stream_wire.h"
#include "gateway/upstream/agent_links.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// Where a Fabricore agent connected.
struct AgentTerms {
  std::string source;    ///< For records: `ip:port`.
  std::string network;   ///< The network that refusals are counted by.
  std::string endpoint;  ///< Name of the `[endpoint.NAME]`.
  /// Whether that configuration would admit the agent here, with its certificate, now.
  std::function<bool(const SnapshotPtr&)> is_let_in = {};
};

/// One agent on a WebSocket, from its `agent.identify` to its end. The first message names the
/// agent and proves it by a token. Nothing else in that message decides anything. After that the
/// agent answers calls.
///
/// Bounded: by the wire, and by `[session] authentication_timeout` until the agent is known.
/// Threads: those of its worker.
/// Source:  Fabricore, "Handshake (Agent -> Server)".
class AgentClient {
 public:
  AgentClient(Worker& worker, AgentTerms terms, std::shared_ptr<StreamWire> wire);

  /// Serves the agent to its end.
  Task<void> run();
  /// Ends the connection after the sent messages have left.
  void drain();
  /// Ends the connection if the current configuration would not admit this agent here.
  void review();

 private:
  Task<bool> identify();
  bool take_identity(AgentIdentity identity);
  bool refuse_identity(std::string_view id_json, Reason reason, std::string_view detail);
  void record_inventory();
  void take(JsonValue message);
  void note(Reason reason, std::string_view detail);

  Worker& worker_;
  AgentTerms terms_;
  std::shared_ptr<StreamWire> wire_;
  AgentLinkPtr link_;  ///< Null until it has identified itself.
};

/// The server whose agent has that id; null for none. Lifetime: the configuration's.
const ServerConfig* find_agent(const Config& config, std::string_view agent_id);

/// An agent's description of itself, as operators and callers may see it: current policy redacts it
/// like other texts of servers. `null` if none of it may be shown. Input: JSON.
std::string shown_of_agent(Worker& worker, std::string_view server, const std::string& json);

/// Serves an agent on that wire. Input: it is counted as unknown (`AgentLinks::admit_unknown`).
Task<void> serve_agent(Worker& worker, AgentTerms terms, std::shared_ptr<StreamWire> wire);

}  // namespace bartizan
