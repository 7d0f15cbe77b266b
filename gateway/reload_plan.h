#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "schemas/result.h"

namespace bartizan {

/// What differs between the configuration that runs and the one that is wanted, as far as more has
/// to be done about it than to compile a policy.
struct ReloadPlan {
  std::vector<std::string> added, removed, changed;  ///< Servers, by name.
  std::vector<std::string> rules_added, rules_removed, rules_changed;
  std::vector<std::string> gone_principals;
};

/// Plans how to go from `running` to `wanted`. Servers are changed when instances of theirs would
/// be others (`has_same_instances`); that the files which they name have other contents is found
/// where these are read.
///
/// Errors: config_invalid, naming every key whose change needs a restart: `listen.address`,
///         `metrics.address`, `admin.socket`, `process.workers`, `auth.stdio.principal`,
///         `audit.file`, `audit.digest_key`.
Result<ReloadPlan> plan_reload(const Config& running, const Config& wanted);

}  // namespace bartizan
