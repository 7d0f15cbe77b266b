#pragma once

#include <map>
#include <string>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

// Example calls that show a problem of a policy, for use with `bartizan explain`.

/// The names of known tools.
KnownNames names_of(const KnownTools& tools);

/// A call by the first caller in a rule, of the first target in it. The target is a known tool if
/// the pattern matches one.
DescribedCall witness_of(const Config& config, const RuleConfig& rule,
                         const KnownNames& names = {});

/// A call of a tool that a pattern matches, by a caller with the role; without any role if `role`
/// is empty.
DescribedCall witness_of(const Config& config, const std::string& tool_pattern,
                         const std::string& role = {}, const KnownNames& names = {});

/// A call with these values, as JSON, at pointers into its arguments.
DescribedCall with_arguments(DescribedCall call, const std::map<std::string, std::string>& values);

}  // namespace bartizan
