#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/dialect/groundhog_request.h"

namespace bartizan {

/// What is known of a request of a Groundhog client when it is answered.
struct GroundhogAnswered {
  const GroundhogRequest* request = nullptr;  ///< Null where no request was read.
  std::string id_json = {};  ///< Of the request, for an answer that cannot be read.
  /// Of a call that was permitted: the decision, and the permissions that the tool asks for.
  std::string decision_id = {};
  std::vector<std::string> permissions = {};
  std::chrono::system_clock::time_point now = {};
  std::chrono::microseconds elapsed{0};  ///< Since the request came.
};

/// An answer of MCP in Groundhog's members. Of a call, a result becomes one with `data`, and an
/// error, a refusal or a result that is an error becomes an error with `error_type`, `error_code`
/// and `details`. It says no more than the answer of MCP does, which says as much as the caller's
/// trust allows.
///
/// Input:  one answer as it would leave to a client of MCP. Anything else stays as it is.
/// Source: Groundhog, "Response Format".
std::string write_groundhog_answer(std::string_view mcp, const GroundhogAnswered& answered);

}  // namespace bartizan
