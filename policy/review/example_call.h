#pragma once

#include <map>
#include <string>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

// Calls that show what is wrong with a policy, for people to put to `bartizan explain`.

/// The names of known tools.
KnownNames names_of(const KnownTools& tools);

/// A call by the first that a rule names of the first thing that it names: of a tool that is known
/// where it matches one.
DescribedCall witness_of(const Config& config, const RuleConfig& rule,
                         const KnownNames& names = {});

/// A call of a tool that a pattern matches, by somebody with one of the roles; by somebody without
/// any, where none is given.
DescribedCall witness_of(const Config& config, const std::string& tool_pattern,
                         const std::string& role = {}, const KnownNames& names = {});

/// A call with these values at pointers into its arguments, as JSON.
DescribedCall with_arguments(DescribedCall call, const std::map<std::string, std::string>& values);

}  // namespace bartizan
