#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gateway/store/approvals.h"
#include "policy/access/approval_check.h"

namespace bartizan {

/// Where requests for approval stand, as the record says: by their ids, all that took a step since
/// that time, in seconds since 1970 UTC.
///
/// Input:  the path of the record; who is which person now.
/// Errors: the record cannot be read. A line that is no record is passed over: what a record is
///         worth is for `verify` to say.
/// Cost:   reads the files of the chain that were written to since then.
Result<std::map<std::string, Approvals::Recorded>> read_recorded_approvals(const std::string& path,
                                                                           std::int64_t since,
                                                                           const Persons& persons);

}  // namespace bartizan
