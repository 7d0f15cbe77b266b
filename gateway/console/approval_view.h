#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/console/console_access.h"
#include "gateway/store/approvals.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

// The relation of a reader to a request for approval. Pure functions.

/// Whether a principal may see a request: a reader with full access, a possible approver, or the
/// caller.
bool may_see(const Policy& policy, const ApprovalRequest& request, const Principal& reader,
             ConsoleAccess access);

/// The state of a request at a time. It is expired after its time, even before the state file says
/// so.
ApprovalState state_at(const ApprovalRequest& request, std::int64_t now);

/// The number of persons who have approved.
std::int64_t approved_by(const Approvals::Found& found);

/// That person's answer, or null.
const ApprovalAnswer* answer_of(const Approvals::Found& found, std::string_view person);

/// The entity tag of a request's current state, without quotes. It changes with each step. Source:
/// RFC 9110 §8.8.3.
std::string entity_tag(const Approvals::Found& found, std::int64_t now);

/// Whether `If-Match` contains that tag, or is `*`. Source: RFC 9110 §13.1.1.
bool is_match(std::string_view if_match, std::string_view tag);

/// Why a principal cannot answer a request now, as a sentence without its full stop; nothing if it
/// can.
std::optional<std::string> why_no_answer(const Policy& policy, const Approvals::Found& found,
                                         const Principal& reader, std::int64_t now);

}  // namespace bartizan
