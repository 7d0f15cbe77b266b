#include "gateway/last_loaded.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "gateway/log.h"
#include "gateway/write_file.h"

namespace bartizan {

std::string last_loaded_path(const std::string& record) {
  return record + ".loaded";
}

void keep_loaded(const Config& config) {
  if (config.sources == nullptr || config.sources->files.empty()) return;
  const std::string path = last_loaded_path(config.audit.file);
  const std::error_code error = write_file(path, encode_sources(*config.sources));
  if (!error) return;
  log(LogLevel::warning, "loaded configuration not kept",
      {{"file", path}, {"detail", error.message()}});
}

Result<std::optional<Config>> load_last_loaded(const std::string& record) {
  const std::string path = last_loaded_path(record);
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  const auto unusable = [&path](const std::string& why) {
    return fail(ErrorCode::config_invalid, Fault::gateway, path + ": " + why);
  };
  if (!file.good() && !file.eof()) return unusable("cannot be read");
  const Result<ConfigSources> sources = decode_sources(json);
  if (!sources.has_value()) return unusable(std::string(error_text(sources.error().code)));
  LoadedConfig loaded = load_config(*sources);
  // A key may mean something else to this version.
  if (!loaded.usable()) return unusable("is no configuration of this version");
  return std::move(loaded.config);
}

}  // namespace bartizan
