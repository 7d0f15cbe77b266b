#include "config/load/same_files.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>

#include "config/config_file.h"
#include "config/problems.h"
#include "config/read_document.h"

namespace bartizan {
namespace {

bool says(const std::filesystem::path& path, const std::string& text) {
  Problems ignored;
  const auto bytes = read_config_file(path, text.size(), {}, ignored);
  return bytes.has_value() && *bytes == text;
}

/// The files that `include` matches now, in the order of reading.
std::vector<std::string> included_files(const LoadedConfig& loaded) {
  std::vector<std::string> files;
  for (const std::filesystem::path& pattern : loaded.include_patterns) {
    const std::string name = pattern.filename().string();
    if (!name.contains('*')) {
      files.push_back(std::filesystem::absolute(pattern).string());
      continue;
    }
    const auto begin = static_cast<std::ptrdiff_t>(files.size());
    std::error_code error;
    for (std::filesystem::directory_iterator entry(pattern.parent_path(), error), end;
         !error && entry != end; entry.increment(error)) {
      if (!is_included_name(name, entry->path().filename().string())) continue;
      files.push_back(std::filesystem::absolute(entry->path()).string());
    }
    std::ranges::sort(files.begin() + begin, files.end());
  }
  return files;
}

}  // namespace

bool has_same_files(const LoadedConfig& loaded) {
  const auto& sources = loaded.config.sources;
  if (!loaded.usable() || sources == nullptr || sources->files.empty()) return false;
  const bool has_lock = !loaded.config.pins.file.empty();
  if (has_lock != sources->lock.has_value()) return false;
  std::vector<std::string> names;
  for (const ConfigSources::File& file : sources->files)
    names.push_back(file.name);
  names.erase(names.begin());
  const auto is_unchanged = [](const auto& file) { return says(file.first, file.second); };
  return names == included_files(loaded) &&
         std::ranges::all_of(sources->files,
                             [](const auto& file) { return says(file.name, file.text); }) &&
         std::ranges::all_of(sources->schemas, is_unchanged) &&
         std::ranges::all_of(sources->rules, is_unchanged) &&
         (!has_lock || says(loaded.config.pins.file, *sources->lock));
}

}  // namespace bartizan
