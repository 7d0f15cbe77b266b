#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/framing/stream_wire.h"
#include "gateway/upstream/agent_links.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// Where an agent of Fabricore came in.
struct AgentTerms {
  std::string source;    ///< For records: `ip:port`.
  std::string network;   ///< What refusals are counted by.
  std::string endpoint;  ///< Name of the `[endpoint.NAME]`.
  /// Whether that configuration would let it in at this place, with the certificate that it showed,
  /// now.
  std::function<bool(const SnapshotPtr&)> is_let_in = {};
};

/// One agent on a WebSocket, from its `agent.identify` to its end. Its first message says who it
/// is, and proves it by a token; nothing else that it says decides anything. Then it answers calls.
///
/// Bounded: by the wire, and by `[session] authentication_timeout` before the agent is known.
/// Threads: those of its worker.
/// Source:  Fabricore, "Handshake (Agent -> Server)".
class AgentClient {
 public:
  AgentClient(Worker& worker, AgentTerms terms, std::shared_ptr<StreamWire> wire);

  /// Serves the agent to its end.
  Task<void> run();
  /// Ends the connection, once what was sent has left.
  void drain();
  /// Ends the connection where the configuration of now would not take this agent here.
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
  AgentLinkPtr link_;  ///< Once it has identified itself.
};

/// The server whose agent has that id; null where none has. Lifetime: the configuration's.
const ServerConfig* find_agent(const Config& config, std::string_view agent_id);

/// What an agent says of itself as operators and callers are shown it: without what policy takes
/// out of texts of servers, now. `null` where nothing of it may be shown. Input: JSON.
std::string shown_of_agent(Worker& worker, std::string_view server, const std::string& json);

/// Serves an agent on that wire. Input: it is counted as unknown (`AgentLinks::admit_unknown`).
Task<void> serve_agent(Worker& worker, AgentTerms terms, std::shared_ptr<StreamWire> wire);

}  // namespace bartizan
