#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Introduces the servers when the only client of this process first speaks an era. It asks the
/// instances that will serve the client. So nothing is started without need, nothing is started
/// twice, and the client waits only as long as the servers need.
///
/// Threads: its worker's, which must be the only one.
/// Source:  MCP 2026-07-28, basic/versioning; docs/decisions/protocol.md.
class LazyHandshake : public std::enable_shared_from_this<LazyHandshake> {
 public:
  LazyHandshake(Worker& worker, std::string principal);

  /// Returns once every server has answered in that era or in the other one, or has had its time.
  /// After that the worker's directory has their handshakes. Returns earlier if a server already
  /// serves that era. Servers that did not answer are asked again, at least 5 s later.
  Task<void> ready(Era era);

 private:
  struct Asked;
  using Question = std::pair<std::string, Era>;

  bool is_due(const std::string& server, Era era);
  /// Takes a copy: the policy may change before the server has answered.
  Task<void> ask(ServerConfig server, Era era, std::shared_ptr<Asked> asked);
  Task<bool> introduce(const ServerConfig& server, Era era);
  void publish(const std::string& server, Era era, Result<ServerHandshake> introduction);

  Worker& worker_;
  std::string principal_;
  /// The last time of each question; bounded by the configured servers.
  std::map<Question, std::chrono::steady_clock::time_point> asked_at_;
};

}  // namespace bartizan
