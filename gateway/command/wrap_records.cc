#include "gateway/command/wrap_records.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::string state_folder() {
  std::string folder = variable("XDG_STATE_HOME");
  if (folder.starts_with('/')) return folder;
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.local/state" : std::string();
}

std::vector<std::string> wrap_records() {
  const std::string folder = state_folder();
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  std::error_code error;
  if (folder.empty()) return {};
  for (fs::directory_iterator entry(folder + "/bartizan", error), end; !error && entry != end;
       entry.increment(error)) {
    // Closed files of a record end in a number.
    std::error_code ignored;
    if (entry->path().extension() != ".jsonl" || !entry->is_regular_file(ignored)) continue;
    const auto time = entry->last_write_time(ignored);
    if (!ignored) found.emplace_back(time, entry->path().string());
  }
  std::ranges::sort(found, std::greater());
  std::vector<std::string> files;
  for (auto& [time, file] : found)
    files.push_back(std::move(file));
  return files;
}

}  // namespace bartizan
