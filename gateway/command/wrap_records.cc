#include "gateway/command/wrap_records.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

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

WrapRecord newest_wrap_record() {
  const std::string folder = state_folder();
  WrapRecord newest;
  if (folder.empty()) return newest;
  std::optional<fs::file_time_type> written;
  std::error_code error;
  for (fs::directory_iterator entry(folder + "/bartizan", error), end; !error && entry != end;
       entry.increment(error)) {
    // Closed files of a record end in a number.
    if (entry->path().extension() != ".jsonl") continue;
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const auto time = entry->last_write_time(ignored);
    if (ignored) continue;
    if (written.has_value()) ++newest.others;
    if (written.has_value() && time <= *written) continue;
    written = time;
    newest.file = entry->path().string();
  }
  return newest;
}

}  // namespace bartizan
