#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/http/http_head.h"
#include "gateway/net/stream.h"
#include "gateway/runtime/loop.h"

namespace bartizan {

/// One read-only page: its status, its type, its text.
struct StatusPage {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

/// Makes the page of a path; status 404 for an unknown path.
using StatusPages = std::function<Task<StatusPage>(std::string_view path)>;

/// The connections of one listener: at most 64. A further one replaces the one that was answered
/// longest ago. So a client that holds connections open cannot keep others out for long.
///
/// Threads: those of the listener's loop.
class StatusConnections {
 public:
  static constexpr std::size_t kMax = 64;

  /// May close another connection, at worst within its response.
  void admit(Stream& stream);
  /// The connection was answered.
  void renew(Stream& stream);
  void leave(Stream& stream) { std::erase(open_, &stream); }

 private:
  std::vector<Stream*> open_;  ///< The least recently answered one first.
};

/// The responses of a listener of status pages.
struct StatusService {
  StatusPages pages;
  StatusPages orders = nullptr;  ///< By the path with its query, if it has one.
  /// Whether a request is admitted; null admits all.
  std::function<bool(const RequestHead& head)> admits = nullptr;
};

/// Serves GET and HEAD requests for pages on one connection, until it closes or falls silent.
/// Serves POST requests if there are orders. Refuses all others: 403 for a request that the service
/// does not admit, 405 or 400 otherwise. Not the MCP endpoint: request bodies are never read here.
///
/// Threads: those of the stream's loop.
Task<void> serve_status(std::unique_ptr<Stream> stream, StatusConnections& all,
                        StatusService service);

}  // namespace bartizan
