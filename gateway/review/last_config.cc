#include "gateway/review/last_config.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "config/load/load_config.h"
#include "gateway/process/write_file.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

/// When a file was written; a word where the system does not say.
std::string time_of(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return "an unknown time";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     std::chrono::sys_seconds(std::chrono::seconds(found.st_mtime)));
}

std::unexpected<Error> unusable(const std::string& path, std::string_view why) {
  return fail(ErrorCode::config_invalid, Fault::gateway, fmt::format("{}: {}", path, why));
}

}  // namespace

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

Result<std::shared_ptr<const ConfigSources>> read_last_loaded(const std::string& record) {
  const std::string path = last_loaded_path(record);
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return nullptr;
  std::ifstream file(path, std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return unusable(path, "cannot be read");
  Result<ConfigSources> sources = decode_sources(json);
  if (!sources.has_value()) return unusable(path, error_text(sources.error().code));
  return std::make_shared<const ConfigSources>(*std::move(sources));
}

Result<std::optional<LastLoaded>> load_last_loaded(const std::string& record) {
  const std::string path = last_loaded_path(record);
  const auto read = read_last_loaded(record);
  if (!read.has_value()) return std::unexpected(read.error());
  const std::shared_ptr<const ConfigSources>& sources = *read;
  if (sources == nullptr) return std::nullopt;
  LoadedConfig loaded = load_config(*sources);
  // A key may mean something else to this version.
  if (!loaded.usable()) return unusable(path, "is no configuration of this version");
  LastLoaded last{.config = std::move(loaded.config), .time = time_of(path)};
  if (!sources->files.empty()) last.file = sources->files.front().name;
  return last;
}

}  // namespace bartizan
