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

/// The differences between the running and the wanted configuration that need more than a new
/// policy, or that are reported.
struct ReloadPlan {
  NameChanges servers{.kind = "servers"};
  NameChanges principals{.kind = "principals"};
  /// Other entries, by kind: `rules`, `tools` (profiles), `paths`, `limits`, `exports` and others.
  std::vector<NameChanges> of_policy = {};
  std::vector<std::string> settings_changed = {};  ///< Keys, as of `changed_settings`.
};

/// Plans the change from `running` to `wanted`. A server counts as changed if its instances would
/// differ (`has_same_instances`). Changed contents of files are found where the files are read.
///
/// Errors: config_invalid, naming every key whose change needs a restart: `listen.address`,
///         `metrics.address`, `admin.socket`, `console.address`, `process.workers`,
///         `auth.stdio.principal`, `client.answers_only`, `audit.file`, `audit.digest_key`,
///         `state.file`, and of each socket `path`, `address`, `open_to` and whether it has
///         `tls`.
Result<ReloadPlan> plan_reload(const Config& running, const Config& wanted);

/// Adds a setting whose change only the contents of files show, such as `listen.tls`, if it is not
/// among the changed settings.
void add_setting(ReloadPlan& plan, std::string key);

}  // namespace bartizan
