#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/config_sources.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Where a gateway keeps the texts of the configuration that it loaded last: beside its record.
std::string last_loaded_path(const std::string& record);

/// Keeps those of this one, readable by its owner alone, also among all that took over
/// (`keep_policy`). Where that fails, the log says so: it is for `check` to compare with, and
/// nothing depends on it.
void keep_loaded(const Config& config);

/// What a gateway loaded last.
struct LastLoaded {
  Config config = {};
  std::string file = {};  ///< The configuration's own, as it was named then.
  std::string time = {};  ///< When it was kept, as `2026-11-22T10:00:00Z`.
};

/// The texts of what the gateway with this record loaded last; null where none were kept.
/// Errors: config_invalid for what cannot be read.
Result<std::shared_ptr<const ConfigSources>> read_last_loaded(const std::string& record);

/// What the gateway with this record loaded last; nothing where none was kept.
/// Errors: config_invalid for what cannot be read, or is no configuration any more.
Result<std::optional<LastLoaded>> load_last_loaded(const std::string& record);

}  // namespace bartizan
