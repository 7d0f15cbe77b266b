#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Entries of one kind that differ, by name.
struct NameChanges {
  std::string_view kind;  ///< As the log has it: `rules`.
  std::vector<std::string> added, removed, changed;
};

/// What differs between the configuration that runs and the one that is wanted, as far as more has
/// to be done about it than to compile a policy, or somebody may want to know.
struct ReloadPlan {
  NameChanges servers{.kind = "servers"};
  NameChanges principals{.kind = "principals"};
  /// What decides: `rules`, `tools` (profiles), `paths`, `urls`, `commands`, `sqls`, `limits`,
  /// `roles`, `keys`.
  std::vector<NameChanges> of_policy = {};
  std::vector<std::string> settings_changed = {};  ///< Keys of `[policy]`.
};

/// Plans how to go from `running` to `wanted`. Servers are changed when instances of theirs would
/// be others (`has_same_instances`); that the files which they name have other contents is found
/// where these are read.
///
/// Errors: config_invalid, naming every key whose change needs a restart: `listen.address`,
///         `metrics.address`, `admin.socket`, `console.address`, `process.workers`,
///         `auth.stdio.principal`, `audit.file`, `audit.digest_key`, `state.file`, and of each
///         socket `path`, `address`, `open_to` and whether it has `tls`.
Result<ReloadPlan> plan_reload(const Config& running, const Config& wanted);

}  // namespace bartizan
