#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/config_sources.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The file, beside the record, with the texts of the last loaded configuration.
std::string last_loaded_path(const std::string& record);

/// Keeps the texts of this configuration in that file, readable by its owner only, and with
/// `keep_policy`. A failure is logged and has no other effect. `check` compares with this file.
void keep_loaded(const Config& config);

/// The configuration that a gateway loaded last.
struct LastLoaded {
  Config config = {};
  std::string file = {};  ///< The configuration's file, as named then.
  std::string time = {};  ///< When it was kept, as `2026-11-22T10:00:00Z`.
};

/// The texts of the configuration that the gateway with this record loaded last; null if none were
/// kept.
/// Errors: `config_invalid` if they cannot be read.
Result<std::shared_ptr<const ConfigSources>> read_last_loaded(const std::string& record);

/// The configuration that the gateway with this record loaded last; nothing if none was kept.
/// Errors: `config_invalid` if it cannot be read or is no longer valid.
Result<std::optional<LastLoaded>> load_last_loaded(const std::string& record);

}  // namespace bartizan
