#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/dialect/groundhog_request.h"

namespace bartizan {

/// What is known about a Groundhog client's request when its response is written.
struct GroundhogAnswered {
  const GroundhogRequest* request = nullptr;  ///< Null if no request could be read.
  std::string id_json = {};                   ///< Id of the request, for an unreadable response.
  /// For a permitted call: the decision, and the permissions that the tool requires.
  std::string decision_id = {};
  std::vector<std::string> permissions = {};
  std::chrono::system_clock::time_point now = {};
  std::chrono::microseconds elapsed{0};  ///< Since the request arrived.
};

/// Converts an MCP response to Groundhog's members. For a call, a result becomes one with `data`.
/// An error, a refusal or an error result becomes an error with `error_type`, `error_code` and
/// `details`. The result discloses no more than the MCP response, which depends on the caller's
/// trust.
///
/// Input:  one response as an MCP client would get it. Any other message is returned unchanged.
/// Source: Groundhog, "Response Format".
std::string write_groundhog_answer(std::string_view mcp, const GroundhogAnswered& answered);

}  // namespace bartizan
