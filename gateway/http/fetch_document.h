#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/http/http_client.h"

namespace bartizan {

/// A request to an HTTP server outside MCP: for a document, such as an issuer's keys or metadata,
/// or with data for that server.
struct DocumentRequest {
  ServerUrl url;
  std::size_t bytes_max = std::size_t{256} << 10;  ///< Limit of the response's body.
  std::chrono::milliseconds deadline{5'000};       ///< Limit of the whole exchange.
  /// Sent by POST as `application/x-www-form-urlencoded`. If it is empty, the document is requested
  /// by GET.
  std::string form = {};
  std::string authorization = {};  ///< Value of `Authorization`; not sent if empty.
  std::string json = {};           ///< Sent by POST instead of a form; empty for none.
  std::string_view json_type = "application/json";  ///< Its media type, if it is not one document.
  std::vector<std::pair<std::string, std::string>> headers =
      {};  ///< Sent in addition to the gateway's own.
  /// If false, only the head of the response is read, and the body stays empty.
  bool wants_body = true;
};

/// The response.
struct FetchedDocument {
  int status = 0;
  std::string body;
  std::string tag = {};  ///< `ETag`; empty for none.
};

/// Sends the request on a connection of its own, and reads the response to its end. Redirects are
/// not followed: they are responses with a status of 3xx.
///
/// Errors:  io_failed, closed, timed_out, the http_* codes, and http_limit for a body that is too
/// large; fault server. No error contains anything that was sent.
/// Threads: those of the loop.
/// Bounded: by `bytes_max` and `deadline`.
Task<Result<FetchedDocument>> fetch_document(Loop& loop, std::shared_ptr<asio::ssl::context> tls,
                                             DocumentRequest request);

}  // namespace bartizan
