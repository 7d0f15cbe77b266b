#include "gateway/command/command_wrap.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "gateway/command/wrap_records.h"
#include "gateway/control/beside.h"
#include "gateway/control/run.h"
#include "gateway/review/command_output.h"
#include "gateway/review/config_review.h"
#include "gateway/review/machine_problems.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

constexpr mode_t kFolderMode = 0700;

int refuse(const std::string& why) {
  std::fprintf(stderr, "bartizan wrap: %s\n", why.c_str());
  return 1;
}

/// Creates a folder and its parents, for the owner alone. Existing ones stay unchanged.
bool make_folder(const std::filesystem::path& folder) {
  std::filesystem::path made;
  for (const auto& part : folder) {
    made /= part;
    if (::mkdir(made.c_str(), kFolderMode) != 0 && errno != EEXIST) return false;
  }
  return std::filesystem::is_directory(folder);
}

int run_with_default_record(const Launcher& launcher, const Config& config,
                            const std::string& name) {
  const std::string folder = state_folder();
  if (folder.empty()) return refuse("there is no HOME for the record: name one with --record");
  if (!make_folder(folder + "/bartizan")) return refuse("cannot make the folder " + folder);
  const auto record_of = [&folder, &name](unsigned number) {
    return default_record(folder, name, number);
  };
  return refuse(run_with_free_record(record_of, [&](unsigned number) {
    Config numbered = config;
    numbered.audit.file = record_of(number);
    return run_until_stopped(launcher, std::move(numbered), Clients::over_stdio);
  }));
}

}  // namespace

std::string login_name() {
  std::array<char, 4096> buffer{};
  struct passwd entry{};
  struct passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    return found->pw_name;
  }
  return "uid-" + std::to_string(geteuid());
}

Result<Config> wrap_config_here(const WrapOptions& options) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  return wrap_config(options, login_name(), folder);
}

int wrap_server(const WrapOptions& options, const Launcher& launcher) {
  Result<Config> config = wrap_config_here(options);
  if (!config.has_value()) {
    refuse(config.error().detail);
    return kExitUsage;
  }
  std::error_code error;
  if (const auto root = config->paths.find("root");
      root != config->paths.end() && !std::filesystem::is_directory(root->second.root, error)) {
    return refuse("--root requires a folder, and there is none at " + root->second.root);
  }
  prepare_process(config->log.level);
  if (options.read_only && options.approve.empty()) {
    log(LogLevel::warning, "no tool can be called",
        {{"why", "--read-only without --approve TOOL=FINGERPRINT"},
         {"hint", "bartizan scan --run COMMAND shows the fingerprints"}});
  }
  log_problems(find_machine_problems(*config, launcher, {.written_in = WrittenIn::options}));
  const Result<void> fitted = fit_to_stdio(*config);
  if (!fitted.has_value()) return refuse(fitted.error().detail);
  for (const std::string& word : options.command) {
    constexpr std::array<std::string_view, 5> kOwn{"--read-only", "--tools", "--deny", "--root",
                                                   "--approve"};
    const std::string_view option = std::string_view(word).substr(0, word.find('='));
    if (std::ranges::find(kOwn, option) == kOwn.end()) continue;
    log(LogLevel::warning, "an option of bartizan wrap goes to the server",
        {{"option", option}, {"hint", "write it before the command"}});
  }
  if (config->audit.file.empty()) {
    const std::string name = config->servers.begin()->first;
    return run_with_default_record(launcher, *config, name);
  }
  return refuse(run_until_stopped(launcher, std::move(*config), Clients::over_stdio).detail);
}

}  // namespace bartizan
