#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/console/console_access.h"
#include "gateway/store/approvals.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

// How somebody who looks at a request for approval stands to it. Pure functions.

/// Whether a principal may see a request: who sees everything, who may approve what wants it, and
/// whose call it is.
bool may_see(const Policy& policy, const ApprovalRequest& request, const Principal& reader,
             ConsoleAccess access);

/// Where a request stands at a time: one whose time is over has expired, also while the state file
/// does not say so yet.
ApprovalState state_at(const ApprovalRequest& request, std::int64_t now);

/// Persons who have approved.
std::int64_t approved_by(const Approvals::Found& found);

/// What that person has said of it, or null.
const ApprovalAnswer* answer_of(const Approvals::Found& found, std::string_view person);

/// Names the present state of a request, as an entity tag without its quotes: another one after
/// each step. Source: RFC 9110 §8.8.3.
std::string entity_tag(const Approvals::Found& found, std::int64_t now);

/// Whether `If-Match` has that tag, or any (`*`). Source: RFC 9110 §13.1.1.
bool is_match(std::string_view if_match, std::string_view tag);

/// Why a principal cannot answer a request now, as a sentence without its full stop; nothing where
/// it can.
std::optional<std::string> why_no_answer(const Policy& policy, const Approvals::Found& found,
                                         const Principal& reader, std::int64_t now);

}  // namespace bartizan
