#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/http/http_client.h"

namespace bartizan {

/// A document on somebody else's HTTP server, outside MCP: an issuer's keys, its metadata; or what
/// such a server is told.
struct DocumentRequest {
  ServerUrl url;
  std::size_t bytes_max = std::size_t{256} << 10;  ///< Of the answer's body.
  std::chrono::milliseconds deadline{5'000};       ///< Of the whole exchange.
  /// Sent as a form by POST, `application/x-www-form-urlencoded`; empty: it is asked for by GET.
  std::string form = {};
  std::string authorization = {};  ///< Value of `Authorization`; empty: none is sent.
  std::string json = {};           ///< Sent by POST in the place of a form; empty for none.
  std::string_view json_type = "application/json";  ///< Of that, where it is not one document.
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< Sent beside ours.
  /// Otherwise the head of the answer is enough, and its body stays empty.
  bool wants_body = true;
};

/// What was answered.
struct FetchedDocument {
  int status = 0;
  std::string body;
  std::string tag = {};  ///< `ETag`; empty where there is none.
};

/// Asks for it on a connection of its own, and reads the answer to its end. Redirects are not
/// followed: the answer is then one with a status of 3xx.
///
/// Errors:  io_failed, closed, timed_out, the http_* codes and http_limit for a body that is too
///          large, fault server. No error says anything that was sent.
/// Threads: those of the loop.
/// Bounded: by `bytes_max` and `deadline`.
Task<Result<FetchedDocument>> fetch_document(Loop& loop, std::shared_ptr<asio::ssl::context> tls,
                                             DocumentRequest request);

}  // namespace bartizan
