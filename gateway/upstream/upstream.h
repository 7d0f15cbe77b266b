#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/message/pending_call.h"
#include "policy/verdict/permit.h"
#include "schemas/base/limits.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// A permitted request with the data that its transport needs.
struct OutboundRequest {
  Permit permit;
  ByteRange id;                             ///< Of the id in the judged bytes.
  std::optional<ByteRange> progress_token;  ///< Of `params._meta.progressToken`.
  std::string method;
  /// Of a modern HTTP server: the values of `Mcp-Name` and `Mcp-Param-*`, encoded.
  std::string name_header;
  std::vector<std::pair<std::string, std::string>> param_headers;
  /// The beginning of the server whose list the call was judged by (`PendingCall::beginning`). The
  /// request is not sent in another one. 0 if no list was needed.
  std::uint64_t judged_for = 0;
};

/// A server's statement about itself in the handshake.
struct ServerHandshake {
  Era era = Era::legacy;
  ProtocolVersion version = kNewestLegacyVersion;
  std::string capabilities = "{}";  ///< The server's own JSON object.
  std::string instructions;         ///< A text for clients, or empty.
  std::string server_version;       ///< Of its `serverInfo`; empty if it is not plain text.
  /// `name`, `title` and `version` of its `serverInfo`, a JSON object; empty if it has no name.
  std::string identity = {};
  bool passes_logs = false;   ///< Whether clients may see its log messages.
  bool passes_tasks = false;  ///< Whether it may answer clients with tasks.
  bool operator==(const ServerHandshake&) const = default;
};

/// The key of a server instance: who shares it, and which era it speaks.
struct InstanceKey {
  std::string server;
  std::string owner;  ///< Principal id, session id, or empty, as `instances` says.
  Era era = Era::legacy;
  std::uint32_t number = 0;      ///< Of a fixed number of instances.
  std::uint64_t generation = 0;  ///< Of the server's definition; each has its own instances.
  auto operator<=>(const InstanceKey&) const = default;
};

/// The owner of instances that only probe which eras a server speaks, or the prefix of its name. No
/// principal and no session has this name.
inline constexpr std::string_view kProbeOwner = "(probe)";
inline bool is_probe(const InstanceKey& key) {
  return key.owner.starts_with(kProbeOwner);
}

/// The error of a server that ended or broke the protocol.
inline Error server_failed(std::string detail) {
  return {ErrorCode::server_failed, Fault::server, std::move(detail)};
}

/// The text of `UpstreamEvents::state` for an instance that is introduced again. Its server may
/// list other tools now, and has forgotten earlier requests.
inline constexpr std::string_view kBegunAnew = "introduced again";
/// The text of `UpstreamEvents::state` for a child that runs again but is not introduced yet.
inline constexpr std::string_view kStartedAnew = "started again";

/// One instance of a server: a child process, or a session with a URL. Accepts only permits. The
/// instance uses its own numbers for ids, progress tokens and subscription ids towards the server.
/// The call handler restores the client's.
///
/// Threads: its home worker's only; `UpstreamHandle` posts to it.
class Upstream {
 public:
  virtual ~Upstream() = default;

  /// Sends a request. All its messages, or one failure, arrive in `pending`. An empty permit fails
  /// there. Lifetime: `request` is moved from.
  virtual void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) = 0;
  /// Sends a permitted notification, or an answer to a request of the server. Input: `asked_in` is
  /// the beginning of the server in which it sent that request (`PendingCall::beginning`). In
  /// another one the message is not sent. 0 fits any beginning.
  virtual void tell(Permit permit, std::uint64_t asked_in) = 0;
  /// The client no longer wants that call. Notifies the server and forgets the call.
  virtual void cancel(const std::shared_ptr<PendingCall>& pending) = 0;
  /// Starts the instance if it does not run, introduces the gateway, and returns the answer.
  /// Errors: unsupported_version from a process that runs but does not speak the requested era.
  virtual Task<Result<ServerHandshake>> introduction() = 0;
  /// Whether a process that refused the modern era can serve the legacy era. It becomes the legacy
  /// instance, so no second process is started.
  virtual bool downgrade_to_legacy() { return false; }
  /// Ends the instance: a child is asked to stop, a session is closed. Calls in progress fail.
  virtual void stop() = 0;
  /// Calls in progress, and calls that wait for room.
  struct Load {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;
  };
  virtual Load load() const = 0;
  /// The instance's process, which stands for all that it started. Nothing for other instances, or
  /// if it does not run.
  virtual std::optional<pid_t> process() const { return std::nullopt; }
};

/// The events of an instance, and its messages outside any call.
struct UpstreamEvents {
  /// A notification or request of the server that belongs to no call in progress.
  std::function<void(const InstanceKey&, ReceivedMessage)> message;
  /// A notification or request of the server that its call has no room for.
  std::function<void(const InstanceKey&, ReceivedMessage)> overflow;
  /// A start, a stop or a failure, as a sentence of the gateway.
  std::function<void(const InstanceKey&, std::string_view what)> state;
  /// Whether the server could just be reached, so that its availability can be checked again. The
  /// content of its answer does not matter. May be empty.
  std::function<void(const InstanceKey&, bool is_reached)> reached = {};
  /// Commits the record of a message of the gateway's own. The message is sent only after that.
  std::function<Task<Result<void>>(const InstanceKey&, std::string method)> record_gateway_message;
  /// Unusable output of the server: garbage, unknown ids.
  std::function<void(const InstanceKey&, std::string_view reason)> dropped;
  /// A line of a child's standard error.
  std::function<void(const InstanceKey&, std::string_view line)> said;
  /// The running children of all instances.
  std::atomic<std::uint32_t>* children = nullptr;
  /// The time for a child to end after EOF, and again after SIGTERM.
  std::chrono::milliseconds stop_grace = limits::server_stop_grace;
};

}  // namespace bartizan
