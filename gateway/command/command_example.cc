#include "gateway/command/command_example.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "gateway/command/command_key.h"
#include "gateway/process/write_file.h"
#include "gateway/setup/example_config.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolderMode = 0700;

int refuse(const CommandOutput& output, const std::string& why) {
  output.problems << "bartizan init: " << why << '\n';
  return kExitFailed;
}

/// Why the folder could not be created or written; empty after success.
std::string write_all(const fs::path& folder, const std::string& config) {
  const auto failure = [](const fs::path& path, const std::error_code& error) {
    return "cannot write " + path.string() + ": " + error.message();
  };
  for (const fs::path& one : {folder, folder / "data"}) {
    if (::mkdir(one.c_str(), kFolderMode) != 0) {
      return failure(one, {errno, std::system_category()});
    }
  }
  const std::pair<fs::path, std::string> files[] = {
      {folder / "data" / "notes.md", "# Notes\n\nThe gateway lets analysts read this file.\n"},
      {folder / "bartizan.toml", config}};
  for (const auto& [path, text] : files) {
    if (const auto error = write_new_file(path, text)) return failure(path, error);
  }
  return {};
}

}  // namespace

int init_example(const std::string& folder, const CommandOutput& output) {
  std::error_code error;
  const fs::path place = fs::absolute(folder, error).lexically_normal();
  // A trailing slash would give an empty name.
  const fs::path made = place.has_filename() ? place : place.parent_path();
  const std::optional<NewKey> key = draw_key();
  if (!key) return refuse(output, "the kernel gives no random bytes");
  const std::string why = write_all(made, example_config(made.string(), key->sha256));
  if (!why.empty()) return refuse(output, why);
  const std::string config = (made / "bartizan.toml").string();
  if (output.format == OutputFormat::json) {
    JsonObject json;
    json.add("config", config);
    json.add("key", key->key);
    output.results << json.text() << '\n';
  } else {
    output.results << key->key << '\n';
    output.problems << "wrote " << config
                    << "\nThe key above is shown this once. Next:\n  bartizan "
                    << "check " << config << "\n  bartizan run " << config << '\n';
  }
  return finish(output, kExitDone);
}

}  // namespace bartizan
