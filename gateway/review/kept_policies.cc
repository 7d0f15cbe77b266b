#include "gateway/review/kept_policies.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "config/parse_units.h"
#include "config/problems.h"
#include "gateway/process/read_file.h"
#include "gateway/process/write_file.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> unusable(std::string detail) {
  return fail(ErrorCode::config_invalid, Fault::gateway, std::move(detail));
}

/// Whether it is a digest as in `Config::digest`. So a name cannot lead to another folder, and
/// drafts are ignored.
bool is_digest(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

/// The files of the folder, the newest first.
std::vector<fs::path> kept_files(const std::string& record) {
  std::vector<std::pair<fs::file_time_type, fs::path>> dated;
  std::error_code error;
  for (fs::directory_iterator entry(kept_policies_path(record), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_digest(entry->path().filename().string())) continue;
    std::error_code gone;
    const auto time = fs::last_write_time(entry->path(), gone);
    if (!gone) dated.emplace_back(time, entry->path());
  }
  std::ranges::sort(dated, std::ranges::greater());
  std::vector<fs::path> files;
  files.reserve(dated.size());
  for (auto& [time, path] : dated)
    files.push_back(std::move(path));
  return files;
}

std::error_code make_folder(const std::string& path) {
  std::error_code error;
  const bool is_new = fs::create_directory(path, error);
  if (is_new) fs::permissions(path, fs::perms::owner_all, error);
  return error;
}

void remove_oldest(const std::string& record) {
  const std::vector<fs::path> files = kept_files(record);
  for (std::size_t i = limits::kept_policies_max; i < files.size(); ++i) {
    std::error_code error;
    fs::remove(files[i], error);
  }
}

/// The available digests, one per line.
std::string listed(const std::vector<KeptPolicy>& policies) {
  std::string lines;
  for (const KeptPolicy& policy : policies)
    lines += fmt::format("\n  {} of {}", policy.digest, policy.time);
  return lines;
}

}  // namespace

Result<std::shared_ptr<const ConfigSources>> read_kept_sources(const std::string& path) {
  const Result<std::string> json = read_file(path);
  if (!json.has_value()) return unusable(json.error().detail);
  Result<ConfigSources> sources = decode_sources(*json);
  if (!sources.has_value()) {
    return unusable(fmt::format("{}: {}", path, error_text(sources.error().code)));
  }
  return std::make_shared<const ConfigSources>(*std::move(sources));
}

std::string time_written(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return "an unknown time";
  return format_time(found.st_mtime);
}

std::string kept_policies_path(const std::string& record) {
  return record + ".policies";
}

void keep_policy(const Config& config) {
  if (config.sources == nullptr || config.sources->files.empty()) return;
  if (!is_digest(config.digest)) return;
  const std::string folder = kept_policies_path(config.audit.file);
  const std::string path = folder + "/" + config.digest;
  std::error_code error = make_folder(folder);
  if (!error) error = write_file(path, encode_sources(*config.sources));
  if (error) {
    log(LogLevel::warning, "loaded policy not kept", {{"file", path}, {"detail", error.message()}});
    return;
  }
  remove_oldest(config.audit.file);
}

std::vector<KeptPolicy> list_kept_policies(const std::string& record) {
  std::vector<KeptPolicy> policies;
  for (const fs::path& file : kept_files(record))
    policies.push_back({file.filename().string(), time_written(file.string())});
  return policies;
}

Result<Config> load_kept_policy(const std::string& record, std::string_view digest) {
  const std::string folder = kept_policies_path(record);
  std::vector<KeptPolicy> kept = list_kept_policies(record);
  if (kept.empty()) {
    return unusable(folder + " has no policy: a gateway keeps them there from its start on");
  }
  if (digest.size() < limits::digest_digits_min) {
    return unusable(fmt::format("give {} digits of the digest or more; there are:{}",
                                limits::digest_digits_min, listed(kept)));
  }
  std::vector<KeptPolicy> meant;
  std::ranges::copy_if(kept, std::back_inserter(meant), [digest](const KeptPolicy& policy) {
    return policy.digest.starts_with(digest);
  });
  if (meant.empty()) {
    return unusable(fmt::format("{} has no policy {}; there are:{}", folder,
                                quote(std::string(digest)), listed(kept)));
  }
  if (meant.size() > 1) {
    return unusable("several policies begin so; give more digits of one of:" + listed(meant));
  }
  const std::string path = folder + "/" + meant.front().digest;
  const auto sources = read_kept_sources(path);
  if (!sources.has_value()) return std::unexpected(sources.error());
  LoadedConfig loaded = load_config(**sources);
  // A key may have another meaning in this version.
  if (!loaded.usable()) return unusable(path + ": is not a configuration of this version");
  return std::move(loaded.config);
}

}  // namespace bartizan
