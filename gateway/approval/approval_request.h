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

/// The time at which a request was made, and how long it waits for people.
struct ApprovalTimes {
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
  std::chrono::seconds expires{900};
};

/// A new request for the approval of that call.
/// Input: `id`, the decision id of the call; `subject.expires` is ignored; `shown`, the call as
/// approvers see it, a JSON object.
ApprovalRequest make_approval_request(std::string id, ApprovalSubject subject,
                                      const ApprovalTerms& terms, const ApprovalTimes& times,
                                      const ApprovalSalt& salt, std::string shown);

/// The part in which a call differs from the request, as a word: `arguments`, `tool definition`,
/// `endpoint`. Nothing if it is the same call. `subject.expires` is ignored.
/// Cost: two digests, each of which makes `bound_params` if it was not made already.
std::optional<std::string_view> find_difference(const ApprovalRequest& request,
                                                ApprovalSubject subject);

}  // namespace bartizan
