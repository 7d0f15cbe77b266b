#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/config_sources.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The texts of a configuration that a gateway kept in a file.
/// Errors: `config_invalid` if it cannot be read, with the path in the detail.
Result<std::shared_ptr<const ConfigSources>> read_kept_sources(const std::string& path);

/// The modification time of a file, as `2026-11-22T10:00:00Z`; a word if it is unknown.
std::string time_written(const std::string& path);

/// The folder, beside the record, with the texts of every configuration that became active. Each
/// file is named by its configuration's digest.
std::string kept_policies_path(const std::string& record);

namespace limits {
/// How many are kept. The ones activated longest ago are removed first.
inline constexpr std::size_t kept_policies_max = 100;
}  // namespace limits

/// Keeps this configuration in a file that only its owner can read. A failure is logged and has no
/// other effect.
void keep_policy(const Config& config);

/// A configuration that became active.
struct KeptPolicy {
  std::string digest = {};
  std::string time = {};  ///< When it last became active, as `2026-11-22T10:00:00Z`.
};
/// The configurations kept beside a record, the newest first.
std::vector<KeptPolicy> list_kept_policies(const std::string& record);

namespace limits {
/// The shortest accepted prefix of a digest. It must match only one kept policy.
inline constexpr std::size_t digest_digits_min = 8;
}  // namespace limits

/// The configuration with that digest, or the only one whose digest starts with it.
/// Errors: `config_invalid`; the detail has advice and the available digests.
Result<Config> load_kept_policy(const std::string& record, std::string_view digest);

}  // namespace bartizan
