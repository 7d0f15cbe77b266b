#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/console/approval_view.h"

namespace bartizan {

// Requests for approval as JSON for programs. The texts of clients and servers stay JSON.

/// A request in a list: an object with `id`, `state`, the caller, the target, the rule that asks,
/// and times.
std::string listed_approval_json(const ApprovalRequest& request, std::int64_t now);

/// A request in the list for Fabricore's frontends: as in a list, with its `approval_id`, and
/// `call` as approvers see it.
std::string pending_json(const ApprovalRequest& request, std::int64_t now);

/// A whole request: as in a list, with the number of approvals, the answers, and `call` as
/// approvers see it, which is null after the decision. It also says whether the reader can answer,
/// or why not.
std::string approval_json(const Approvals::Found& found,
                          const std::optional<std::string>& why_no_answer, std::int64_t now);

/// Why a request failed. Source: RFC 9457, "Problem Details for HTTP APIs".
struct ConsoleProblem {
  int status = 400;
  std::string_view reason = {};       ///< The record's reason; empty if nothing is recorded.
  std::string_view sentence;          ///< For people.
  std::string_view decision_id = {};  ///< The id of the record; empty without one.
};
std::string problem_json(const ConsoleProblem& problem);

}  // namespace bartizan
