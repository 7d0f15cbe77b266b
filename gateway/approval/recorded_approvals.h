#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gateway/store/approvals.h"
#include "policy/access/approval_check.h"

namespace bartizan {

/// Reads the states of requests for approval from the record, by their ids: all that took a step
/// since that time, in seconds since 1970 UTC.
///
/// Input:  the path of the record; the current persons.
/// Errors: the record cannot be read. Lines that are not records are skipped; `verify` checks the
/// integrity of a record.
/// Cost:   reads the files of the chain that were written since then.
Result<std::map<std::string, Approvals::Recorded>> read_recorded_approvals(const std::string& path,
                                                                           std::int64_t since,
                                                                           const Persons& persons);

}  // namespace bartizan
