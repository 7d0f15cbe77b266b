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

/// A permitted request with what its transport must know to send it.
struct OutboundRequest {
  Permit permit;
  ByteRange id;                             ///< Of the id in the judged bytes.
  std::optional<ByteRange> progress_token;  ///< Of `params._meta.progressToken`.
  std::string method;
  /// What a modern HTTP server wants repeated in `Mcp-Name` and `Mcp-Param-*`, encoded.
  std::string name_header;
  std::vector<std::pair<std::string, std::string>> param_headers;
  /// The beginning of the server whose list the call was judged by (`PendingCall::beginning`). In
  /// another one it is not sent. 0 where no list was needed.
  std::uint64_t judged_for = 0;
};

/// What a server said of itself when the gateway introduced itself.
struct ServerHandshake {
  Era era = Era::legacy;
  ProtocolVersion version = kNewestLegacyVersion;
  std::string capabilities = "{}";  ///< The server's own JSON object.
  std::string instructions;         ///< Text that clients may see, or empty.
  std::string server_version;       ///< Of its `serverInfo`; empty where that is no plain text.
  /// `name`, `title` and `version` of its `serverInfo`, a JSON object; empty where it has no name.
  std::string identity = {};
  bool passes_logs = false;   ///< Whether clients may see what it logs.
  bool passes_tasks = false;  ///< Whether it may answer clients with tasks.
  bool operator==(const ServerHandshake&) const = default;
};

/// What tells instances of servers apart: who shares one, and in which era it speaks.
struct InstanceKey {
  std::string server;
  std::string owner;  ///< Principal id, session id, or empty, as `instances` says.
  Era era = Era::legacy;
  std::uint32_t number = 0;      ///< Of a fixed number of instances.
  std::uint64_t generation = 0;  ///< Of the server's definition: another one has other instances.
  auto operator<=>(const InstanceKey&) const = default;
};

/// The owner of instances that exist only to find out which eras a server speaks, or the beginning
/// of its name. No principal and no session is called so.
inline constexpr std::string_view kProbeOwner = "(probe)";
inline bool is_probe(const InstanceKey& key) {
  return key.owner.starts_with(kProbeOwner);
}

/// A server that ended, or broke the protocol.
inline Error server_failed(std::string detail) {
  return {ErrorCode::server_failed, Fault::server, std::move(detail)};
}

/// What `UpstreamEvents::state` says of an instance that was introduced before, and is again: its
/// server may list something else now, and knows nothing of what it was asked.
inline constexpr std::string_view kBegunAnew = "introduced again";
/// What `UpstreamEvents::state` says of a child that runs again, and is not introduced yet.
inline constexpr std::string_view kStartedAnew = "started again";

/// One instance of a server: a child process, or a session with a URL. Accepts nothing but
/// permits. Ids, progress tokens and subscription ids are the instance's own numbers towards the
/// server; the call handler puts the client's back.
///
/// Threads: its home worker's only; `UpstreamHandle` posts to it.
class Upstream {
 public:
  virtual ~Upstream() = default;

  /// Sends a request. Everything about it arrives in `pending`: messages, or one failure.
  /// An empty permit is refused there. Lifetime: `request` is moved from.
  virtual void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) = 0;
  /// Sends a permitted notification, or an answer to a request of the server's. `asked_in`: the
  /// beginning of the server in which it asked (`PendingCall::beginning`); in another one it is not
  /// sent. 0 of what is for any beginning.
  virtual void tell(Permit permit, std::uint64_t asked_in) = 0;
  /// The client no longer wants that call: tells the server and forgets it.
  virtual void cancel(const std::shared_ptr<PendingCall>& pending) = 0;
  /// Starts the instance if it does not run, introduces the gateway, and tells what it answered.
  /// Errors: unsupported_version from a process that runs and does not speak the era asked for.
  virtual Task<Result<ServerHandshake>> introduction() = 0;
  /// Whether a process that was asked in vain for the modern era can be had for the legacy one: it
  /// is the legacy instance from now on, and no second one need be started.
  virtual bool downgrade_to_legacy() { return false; }
  /// Ends it: a child is asked to stop, a session is closed. Calls in progress fail.
  virtual void stop() = 0;
  /// Calls in progress, and calls that wait for room.
  struct Load {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;
  };
  virtual Load load() const = 0;
  /// The process that it is, with all that it started; nothing where it is none, or does not run.
  virtual std::optional<pid_t> process() const { return std::nullopt; }
};

/// What an instance reports about itself and what it received outside any call.
struct UpstreamEvents {
  /// A notification or request of the server's that belongs to no call in progress.
  std::function<void(const InstanceKey&, ReceivedMessage)> message;
  /// A notification or request of the server's for which its call has no room any more.
  std::function<void(const InstanceKey&, ReceivedMessage)> overflow;
  /// A start, a stop or a failure, in one of our own sentences.
  std::function<void(const InstanceKey&, std::string_view what)> state;
  /// Whether the server could be reached just now: somebody may want to look again whether it is
  /// up. What it answered does not matter. May be empty.
  std::function<void(const InstanceKey&, bool is_reached)> reached = {};
  /// Commits the record of a message of the gateway's own; it leaves only after that.
  std::function<Task<Result<void>>(const InstanceKey&, std::string method)> record_gateway_message;
  /// Something that the server sent and nobody may read: garbage, unknown ids.
  std::function<void(const InstanceKey&, std::string_view reason)> dropped;
  /// A line that a child wrote to its standard error.
  std::function<void(const InstanceKey&, std::string_view line)> said;
  /// Children that have not ended yet, over all instances.
  std::atomic<std::uint32_t>* children = nullptr;
  /// How long a child has to end after EOF, and again after SIGTERM.
  std::chrono::milliseconds stop_grace = limits::server_stop_grace;
};

}  // namespace bartizan
