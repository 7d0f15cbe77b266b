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

/// A call of a legacy client to a server of the modern era. Where the server wants input of the
/// client, its client is asked by requests of the legacy era, and the request is sent again with
/// the answers. What legacy clients say to a session is kept here: subscriptions go into the one
/// stream that the gateway listens to (`ServerEar`), and the level of the log into each request.
///
/// Source: MCP 2026-07-28, basic/patterns/mrtr, basic/patterns/subscriptions.
class LegacyClientCall final : public BridgedCall,
                               public std::enable_shared_from_this<LegacyClientCall> {
 public:
  /// Input: the client's session, and what each request says of the client.
  LegacyClientCall(const BridgeParts& parts, UpstreamHandle server, std::string session,
                   ModernClaim claim);

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) override;
  void cancel() override;
  void answer(std::string_view id_json, Permit answer) override;
  void refuse(std::string_view id_json) override;

 private:
  /// One request that the client was sent.
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
  std::shared_ptr<PendingCall> pending_;  ///< Of the request that was sent last.
  std::map<std::uint64_t, Asked> asked_;  ///< In this round, by the number that it was given.
  std::uint64_t last_asked_ = 0;
  Signal answered_;
  bool is_over_ = false;
};

}  // namespace bartizan
