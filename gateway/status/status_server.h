#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

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

/// Serves GET and HEAD requests for pages on one connection, until it closes or falls silent, and
/// POST requests where there is somebody to take orders. Everything else is refused. Not the MCP
/// endpoint: no body is ever read here.
///
/// Threads: those of the stream's loop.
Task<void> serve_status(std::unique_ptr<Stream> stream, StatusPages pages,
                        StatusPages orders = nullptr);

}  // namespace bartizan
