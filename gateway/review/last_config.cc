#include "gateway/review/last_config.h"

#include <filesystem>
#include <utility>

#include "config/load/load_config.h"
#include "gateway/process/write_file.h"
#include "gateway/review/kept_policies.h"
#include "gateway/runtime/log.h"

namespace bartizan {

std::string last_loaded_path(const std::string& record) {
  return record + ".loaded";
}

void keep_loaded(const Config& config) {
  if (config.sources == nullptr || config.sources->files.empty()) return;
  keep_policy(config);
  const std::string path = last_loaded_path(config.audit.file);
  const std::error_code error = write_file(path, encode_sources(*config.sources));
  if (!error) return;
  log(LogLevel::warning, "loaded configuration not kept",
      {{"file", path}, {"detail", error.message()}});
}

Result<std::shared_ptr<const ConfigSources>> read_last_loaded(const std::string& record) {
  const std::string path = last_loaded_path(record);
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return nullptr;
  return read_kept_sources(path);
}

Result<std::optional<LastLoaded>> load_last_loaded(const std::string& record) {
  const std::string path = last_loaded_path(record);
  const auto read = read_last_loaded(record);
  if (!read.has_value()) return std::unexpected(read.error());
  const std::shared_ptr<const ConfigSources>& sources = *read;
  if (sources == nullptr) return std::nullopt;
  LoadedConfig loaded = load_config(*sources);
  // A key may have another meaning in this version.
  if (!loaded.usable()) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                path + ": is not a configuration of this version");
  }
  LastLoaded last{.config = std::move(loaded.config), .time = time_written(path)};
  if (!sources->files.empty()) last.file = sources->files.front().name;
  return last;
}

}  // namespace bartizan
