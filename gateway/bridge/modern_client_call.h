#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/bridge/bridged_call.h"
#include "gateway/bridge/parked_calls.h"
#include "policy/check/check_features.h"
#include "schemas/message/message.h"

namespace bartizan {

/// A call of a modern client to a server of the legacy era. Where the server asks its client for
/// something, the client gets that as the answer (`input_required`), and the call waits at the
/// server until the client comes back with a request that has the answers.
///
/// Threads: those of the first call; `resume` and `cancel` from any.
/// Source:  MCP 2026-07-28, basic/patterns/mrtr; 2025-11-25, client.
class ModernClientCall final : public BridgedCall,
                               public std::enable_shared_from_this<ModernClientCall> {
 public:
  /// Whose call it is, and what the client said in it.
  struct Client {
    std::string principal;
    DeclaredFeatures declared;
    std::string log_level;  ///< Empty where it wants no log.
  };
  /// What all calls of modern clients to legacy servers share. Lifetime: as long as the gateway.
  struct Shared {
    ParkedCalls& parked;
    BridgedLogLevels& levels;
  };

  ModernClientCall(const BridgeParts& parts, UpstreamHandle server, Client client, Shared shared);

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) override;
  void cancel() override;

  /// A result of the client's, by the name that its question had.
  struct Response {
    std::string key;
    ByteRange result;  ///< In the bytes of the request that brought it.
  };
  /// The client has come back with that request: everything about the call goes to `client` from
  /// now on.
  void resume(Permit request, const std::vector<Response>& responses,
              std::shared_ptr<PendingCall> client);

 private:
  /// A request of the server's that the client has not answered.
  struct Asked {
    std::string key;
    std::string id_json;
    std::string entry;  ///< As it stands in `inputRequests`.
    std::uint64_t asked_in = 0;
    MemoryBudget::Reservation memory = {};
  };

  void resume_other(const OutboundRequest& request, const Message& judged, const std::string& name);
  Task<void> set_log_level();
  Task<void> run(OutboundRequest request);
  std::chrono::milliseconds patience() const;
  bool take(ReceivedMessage received);
  void take_request(const Message& request);
  void pass_notification(ReceivedMessage received);
  void deliver_answer(const Message& answer);
  void ask_client();
  void fail(const Error& error);
  void give_up();

  BridgeParts parts_;
  UpstreamHandle server_;
  Client said_;
  Shared shared_;
  MethodId method_ = MethodId::unknown;
  std::string uri_;                            ///< Of the resource that is read.
  std::shared_ptr<PendingCall> client_;        ///< Null while the call is parked.
  std::shared_ptr<PendingCall> pending_;       ///< At the server.
  std::shared_ptr<ModernClientCall> resumed_;  ///< The call that this one came back for.
  std::vector<Asked> asked_;
  std::uint64_t last_key_ = 0;
  std::string parked_as_;              ///< Its name while it is parked.
  std::optional<std::string> answer_;  ///< The server's, which came while the call was parked.
  std::chrono::steady_clock::time_point parked_until_;
  bool is_over_ = false;
};

}  // namespace bartizan
