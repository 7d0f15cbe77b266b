#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/console/approval_view.h"

namespace bartizan {

// Requests for approval as programs get them. What clients and servers worded stays JSON.

/// A request in a list: an object with `id`, `state`, whose call, of what, which rule asks, and
/// when.
std::string listed_approval_json(const ApprovalRequest& request, std::int64_t now);

/// A request in the list that Fabricore's frontends get: as in a list, with its `approval_id`, and
/// `call` as approvers are shown it.
std::string pending_json(const ApprovalRequest& request, std::int64_t now);

/// A request whole: as in a list, and how many approved it, the answers, `call` as approvers are
/// shown it, or null once it is decided, and whether the reader can answer, or why not.
std::string approval_json(const Approvals::Found& found,
                          const std::optional<std::string>& why_no_answer, std::int64_t now);

/// Why something was not done. Source: RFC 9457, "Problem Details for HTTP APIs".
struct ConsoleProblem {
  int status = 400;
  std::string_view reason = {};       ///< The record's; empty where that says nothing.
  std::string_view sentence;          ///< For people.
  std::string_view decision_id = {};  ///< Under which it is on record; empty where it is not.
};
std::string problem_json(const ConsoleProblem& problem);

}  // namespace bartizan
