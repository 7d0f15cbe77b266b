#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Learns what servers say of themselves when the one client of this process first speaks an era,
/// from the very instances that will serve it: nothing is started that nobody asked for, nothing
/// twice, and the client waits no longer than the server needs.
///
/// Threads: its worker's, which must be the only one.
/// Source:  MCP 2026-07-28, basic/versioning; docs/decisions/protocol.md.
class LazyHandshake : public std::enable_shared_from_this<LazyHandshake> {
 public:
  LazyHandshake(Worker& worker, std::string principal);

  /// Returns once every server has answered in that era, or else in the other one, or had its time;
  /// the worker's directory then says what they answered. Servers that did not answer are asked
  /// again now and then.
  Task<void> ready(Era era);

 private:
  struct Asked;
  using Question = std::pair<std::string, Era>;

  bool is_due(const std::string& server, Era era);
  /// Takes a copy: another policy may be in force before the server has answered.
  Task<void> ask(ServerConfig server, Era era, std::shared_ptr<Asked> asked);
  Task<bool> introduce(const ServerConfig& server, Era era);
  void publish(const std::string& server, Era era, Result<ServerHandshake> introduction);

  Worker& worker_;
  std::string principal_;
  /// When each was last asked; bounded by the configured servers.
  std::map<Question, std::chrono::steady_clock::time_point> asked_at_;
};

}  // namespace bartizan
