#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/approval_config.h"
#include "gateway/approval/approval_digest.h"
#include "gateway/store/approvals.h"

namespace bartizan {

/// For how long a request waits for people, and what of it depends on when it was made.
struct ApprovalTimes {
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
  std::chrono::seconds expires{900};
};

/// A request for the approval of that call, which waits.
/// Input: `id`, the decision id of the call; `subject.expires` is not looked at; `shown`, what
///        approvers are shown, a JSON object.
ApprovalRequest make_approval_request(std::string id, ApprovalSubject subject,
                                      const ApprovalTerms& terms, const ApprovalTimes& times,
                                      const ApprovalSalt& salt, std::string shown);

/// What of a call is not what the request is for, as a word: `arguments`, `tool definition`,
/// `endpoint`; nothing where it is the same call. `subject.expires` is not looked at.
/// Cost: two digests, of which each makes `bound_params` where it is not there.
std::optional<std::string_view> find_difference(const ApprovalRequest& request,
                                                ApprovalSubject subject);

}  // namespace bartizan
