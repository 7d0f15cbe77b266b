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

/// A call of a modern client to a legacy server. If the server sends its client a request, the
/// client gets it in the response (`input_required`). The call then waits at the server until the
/// client sends a request with the responses.
///
/// Threads: those of the first call; `resume` and `cancel` from any.
/// Source:  MCP 2026-07-28, basic/patterns/mrtr; 2025-11-25, client.
class ModernClientCall final : public BridgedCall,
                               public std::enable_shared_from_this<ModernClientCall> {
 public:
  /// The caller, and the client's declarations in the call.
  struct Client {
    std::string principal;
    DeclaredFeatures declared;
    std::string log_level;  ///< Empty if it wants no log.
  };
  /// The state that all calls of modern clients to legacy servers share. Lifetime: as long as the
  /// gateway.
  struct Shared {
    ParkedCalls& parked;
    BridgedLogLevels& levels;
  };

  ModernClientCall(const BridgeParts& parts, UpstreamHandle server, Client client, Shared shared);

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) override;
  void cancel() override;

  /// A result from the client, by the key of its request.
  struct Response {
    std::string key;
    ByteRange result;  ///< In the bytes of the client's request.
  };
  /// Continues the call after the client has sent that request. All messages about the call go to
  /// `client` from now on.
  void resume(Permit request, const std::vector<Response>& responses,
              std::shared_ptr<PendingCall> client);

 private:
  /// A request of the server that the client has not answered.
  struct Asked {
    std::string key;
    std::string id_json;
    std::string entry;  ///< Its entry in `inputRequests`.
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
  std::string uri_;                            ///< Of a resource that is read.
  std::shared_ptr<PendingCall> client_;        ///< Null while the call is parked.
  std::shared_ptr<PendingCall> pending_;       ///< At the server.
  std::shared_ptr<ModernClientCall> resumed_;  ///< The parked call that this one continues.
  std::vector<Asked> asked_;
  std::uint64_t last_key_ = 0;
  std::string parked_as_;  ///< Its name while it is parked.
  std::optional<std::string>
      answer_;  ///< The server's response, if it came while the call was parked.
  std::chrono::steady_clock::time_point parked_until_;
  bool is_over_ = false;
};

}  // namespace bartizan
