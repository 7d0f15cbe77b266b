#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_scope.h"
#include "policy/diff/diff_targets.h"

namespace bartizan {

/// Values by pointer into the arguments, and by the names of facts: what one call is made of. What
/// is not there, the call has not.
using CallValues = std::map<std::string, std::string>;

/// The values that are worth a try for one target, by pointer into the arguments and by the names
/// of facts; the likeliest of each first.
struct CallEdges {
  std::map<std::string, std::vector<std::string>> values = {};
  std::set<std::string> unlikely = {};  ///< Of these, what an ordinary call has not.
  /// Arguments that the tool's schema wants and nothing else speaks of: every call has them.
  CallValues required = {};
};

/// What both policies ask of calls of a target, at its edges. Of an argument of which profiles ask
/// the same in both, and rules nothing, one value is enough. `now` in seconds since 1970.
CallEdges find_call_edges(const Config& older, const Config& newer, const DiffScope& scope,
                          const DiffTarget& target, std::int64_t now);

/// The call with these values; nothing where two of them want different things of one place.
std::optional<DescribedCall> describe_call(const DiffCaller& caller, const DiffTarget& target,
                                           const CallValues& values);

}  // namespace bartizan
