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
/// Errors: config_invalid for what cannot be read, with the path in the detail.
Result<std::shared_ptr<const ConfigSources>> read_kept_sources(const std::string& path);

/// When a file was written, as `2026-11-22T10:00:00Z`; a word where the system does not say.
std::string time_written(const std::string& path);

/// Where a gateway keeps the texts of every configuration that took over: a folder beside its
/// record, in which each file has the digest of its configuration as its name.
std::string kept_policies_path(const std::string& record);

namespace limits {
/// How many are kept; of more, those that took over longest ago are removed.
inline constexpr std::size_t kept_policies_max = 100;
}  // namespace limits

/// Keeps this one, readable by its owner alone. Where that fails, the log says so, and nothing else
/// depends on it.
void keep_policy(const Config& config);

/// A configuration that took over.
struct KeptPolicy {
  std::string digest = {};
  std::string time = {};  ///< When it took over last, as `2026-11-22T10:00:00Z`.
};
/// Those that are kept beside a record, the newest first.
std::vector<KeptPolicy> list_kept_policies(const std::string& record);

namespace limits {
/// So many digits of a digest are enough, where only one kept policy begins so.
inline constexpr std::size_t digest_digits_min = 8;
}  // namespace limits

/// The configuration with that digest, or the only one whose digest begins so.
/// Errors: config_invalid, with what to do and the digests that are there in the detail.
Result<Config> load_kept_policy(const std::string& record, std::string_view digest);

}  // namespace bartizan
