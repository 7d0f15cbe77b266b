#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gateway/console/console_pages.h"
#include "gateway/store/approvals.h"

namespace bartizan {

// The pages of calls that wait for approval. All texts of clients and servers are shown whole and
// as plain text.

/// The content of GET /approvals.
struct ApprovalList {
  std::span<const ApprovalRequest> requests;  ///< Those that the reader may see, oldest first.
  std::string next = {};                      ///< The id after which there may be more.
  bool is_live = true;                        ///< Whether the page refreshes itself.
  bool has_state = true;                      ///< Whether there is a state file to keep them in.
  std::int64_t now = 0;                       ///< Seconds since 1970 UTC.
};
std::string approvals_html(const ApprovalList& list, const PageReader& reader);

/// The content of GET /approvals/ID: the whole call, and a form for the answer, or why there is
/// none. The first button of the form denies, since the Enter key presses it.
struct ApprovalPage {
  const Approvals::Found& found;
  std::optional<std::string> why_no_answer = {};
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
};
std::string approval_html(const ApprovalPage& page, const PageReader& reader);

}  // namespace bartizan
