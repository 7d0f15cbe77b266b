#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/framing/message_wire.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/agent_links.h"
#include "gateway/upstream/server_definition.h"

namespace bartizan {

/// A Fabricore agent as an MCP server. The wire answers `initialize` and `tools/list` from the
/// configuration, since an agent lists nothing. `tools/call` is sent to the agent as `tool.execute`
/// or `mcp.proxy`.
///
/// Bounded: by the calls in progress of its instance.
/// Threads: those of its loop.
class AgentWire final : public MessageWire,
                        public AgentCaller,
                        public std::enable_shared_from_this<AgentWire> {
 public:
  /// Input: `link` is null if only the tools are listed and none is called.
  AgentWire(Loop& loop, ServerDefinitionPtr definition, AgentLinkPtr link);

  Task<Result<Bytes>> next() override;
  void write(std::string message) override;
  bool has_room() const override { return !is_over_; }
  Task<void> wait_for_room() override { co_return; }
  bool is_flushed() const override { return true; }
  void on_broken(std::move_only_function<void(std::string_view why)> broken) override {
    broken_ = std::move(broken);
  }
  bool is_closing() const override { return is_over_; }
  void stop_reading() override;
  void close(std::string_view why) override;

  void take(std::string message) override;
  void on_gone() override;

 private:
  void call(JsonValue message, std::string_view id_json);

  ServerDefinitionPtr definition_;
  AgentLinkPtr link_;
  std::deque<std::string> messages_;  ///< Not yet read.
  bool is_over_ = false;
  Signal news_;
  std::move_only_function<void(std::string_view)> broken_;
};

/// The wire to the agent of that server.
/// Input:  `links` is null in a process that accepts no agents. Tools can be listed there.
/// Errors: io_failed if the agent is not connected.
Task<Result<std::shared_ptr<MessageWire>>> open_agent_wire(Loop& loop, const AgentLinks* links,
                                                           ServerDefinitionPtr definition);

}  // namespace bartizan
