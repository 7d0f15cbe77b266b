#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/bridge/bridged_call.h"
#include "gateway/runtime/signal.h"
#include "schemas/message/era_translation.h"

namespace bartizan {

/// A call of a legacy client to a modern server. If the server asks for input, the client gets
/// requests of the legacy era, and the call is sent again with the responses. The gateway keeps the
/// legacy session's settings: subscriptions go into its own listening stream (`ServerEar`), and the
/// log level into each request.
///
/// Source: MCP 2026-07-28, basic/patterns/mrtr, basic/patterns/subscriptions.
class LegacyClientCall final : public BridgedCall,
                               public std::enable_shared_from_this<LegacyClientCall> {
 public:
  /// Input: `session`, the client's; `claim`, the client's description in each request.
  LegacyClientCall(const BridgeParts& parts, UpstreamHandle server, std::string session,
                   ModernClaim claim);

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) override;
  void cancel() override;
  void answer(std::string_view id_json, Permit answer) override;
  void refuse(std::string_view id_json) override;

 private:
  /// One request that was sent to the client.
  struct Asked {
    std::string key;     ///< The server's name for it.
    std::string method;  ///< `elicitation/create`, …
    std::optional<Permit> answer = {};
    bool is_refused = false;

    bool is_open() const { return !answer.has_value() && !is_refused; }
  };

  bool serve_here(const OutboundRequest& request, MethodId method);
  Task<void> run(OutboundRequest request);
  Task<std::optional<ReceivedMessage>> next_answer();
  void deliver_answer(const Message& answer);
  Task<std::optional<OutboundRequest>> next_round(const ReceivedMessage& answer,
                                                  const OutboundRequest& first);
  Task<bool> ask_client(JsonValue requests);
  std::optional<std::string> input_responses();
  Asked* find_open(std::string_view id_json);
  void fail(std::string why);

  BridgeParts parts_;
  UpstreamHandle server_;
  std::string session_;
  ModernClaim claim_;
  MethodId method_ = MethodId::unknown;
  std::shared_ptr<PendingCall> client_;
  std::shared_ptr<PendingCall> pending_;  ///< Of the last sent request.
  std::map<std::uint64_t, Asked> asked_;  ///< In this round, by its number.
  std::uint64_t last_asked_ = 0;
  Signal answered_;
  bool is_over_ = false;
};

}  // namespace bartizan
