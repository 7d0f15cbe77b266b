#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gateway/console/console_pages.h"
#include "gateway/store/approvals.h"

namespace bartizan {

// The pages of calls that wait for people. All that clients and servers worded is shown whole, and
// as text.

/// What GET /approvals shows.
struct ApprovalList {
  std::span<const ApprovalRequest> requests;  ///< Those that the reader may see, oldest first.
  std::string next = {};                      ///< The id behind which there may be more.
  bool is_live = true;                        ///< Whether the browser asks again by itself.
  bool has_state = true;                      ///< Whether there is a state file to keep them in.
  std::int64_t now = 0;                       ///< Seconds since 1970 UTC.
};
std::string approvals_html(const ApprovalList& list, const PageReader& reader);

/// What GET /approvals/ID shows: all that the call is, and a form that answers, or why there is
/// none. The form's first button, which the Enter key presses, denies.
struct ApprovalPage {
  const Approvals::Found& found;
  std::optional<std::string> why_no_answer = {};
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
};
std::string approval_html(const ApprovalPage& page, const PageReader& reader);

}  // namespace bartizan
