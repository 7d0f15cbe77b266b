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

/// The values of one call, by pointer into the arguments or by name of a fact. The call lacks every
/// value that is not here.
using CallValues = std::map<std::string, std::string>;

/// The values to try for one target, by pointer into the arguments or by name of a fact. The
/// likeliest value of each comes first.
struct CallEdges {
  std::map<std::string, std::vector<std::string>> values = {};
  std::set<std::string> unlikely = {};  ///< Names in `values` that an ordinary call lacks.
  /// Arguments that the tool's schema requires and no profile or rule names. Every call has them.
  CallValues required = {};
};

/// The values at the edges of what both policies ask of calls of a target. An argument gets one
/// value if the profiles of both ask the same of it and no rule asks anything. Input: `now` in
/// seconds since 1970.
CallEdges find_call_edges(const Config& older, const Config& newer, const DiffScope& scope,
                          const DiffTarget& target, std::int64_t now);

/// The call with these values; nothing if two of them conflict at one place.
std::optional<DescribedCall> describe_call(const DiffCaller& caller, const DiffTarget& target,
                                           const CallValues& values);

}  // namespace bartizan
