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

/// Makes the page of a path; a status of 404 for a path that there is none of.
using StatusPages = std::function<Task<StatusPage>(std::string_view path)>;

/// The connections of one listener: at most 64. One that is too much takes the place of the one
/// that was answered longest ago, so that whoever holds connections open keeps nobody out for long.
///
/// Threads: those of the listener's loop.
class StatusConnections {
 public:
  static constexpr std::size_t kMax = 64;

  /// May close another one, in the middle of its answer at the worst.
  void admit(Stream& stream);
  /// It was answered.
  void renew(Stream& stream);
  void leave(Stream& stream) { std::erase(open_, &stream); }

 private:
  std::vector<Stream*> open_;  ///< The one answered longest ago first.
};

/// What a listener of status pages answers.
struct StatusService {
  StatusPages pages;
  StatusPages orders = nullptr;  ///< The path with its query, where it has one.
  /// Whether a request is answered at all; null where all are.
  std::function<bool(const RequestHead& head)> admits = nullptr;
};

/// Serves GET and HEAD requests for pages on one connection, until it closes or falls silent, and
/// POST requests where there is somebody to take orders. Everything else is refused: 403 for a
/// request that the service does not admit, 405 or 400 otherwise. Not the MCP endpoint: no body is
/// ever read here.
///
/// Threads: those of the stream's loop.
Task<void> serve_status(std::unique_ptr<Stream> stream, StatusConnections& all,
                        StatusService service);

}  // namespace bartizan
