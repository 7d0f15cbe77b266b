#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/framing/message_wire.h"
#include "gateway/runtime/random.h"
#include "gateway/upstream/duplex_upstream.h"

namespace bartizan {

/// A server behind a wire: a WebSocket, a socket, or HTTP+SSE of 2024-11-05. When the wire ends,
/// its calls fail. The next call connects again.
///
/// Threads: those of its home loop.
class WireUpstream final : public DuplexUpstream {
 public:
  /// Connects to the server.
  using Open = std::function<Task<Result<std::shared_ptr<MessageWire>>>()>;

  WireUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
               UpstreamEvents events, Open open, Random& random);

 private:
  void begin() override;
  bool write(std::string text, std::uint64_t id) override;
  void end_life() override;

  Task<void> connect();
  Task<void> read(std::shared_ptr<MessageWire> wire);
  void on_over(const std::shared_ptr<MessageWire>& wire);

  Open open_;
  std::shared_ptr<MessageWire> wire_;
};

}  // namespace bartizan
