#include "gateway/review/executable_problems.h"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gateway/process/executable_check.h"
#include "gateway/process/find_program.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

ConfigProblem warning(const Config& config, const ServerConfig& server, std::string message,
                      std::string hint = {}) {
  return {.severity = ConfigProblem::Severity::warning,
          .where = text(config, server.where),
          .message = std::move(message),
          .hint = std::move(hint)};
}

std::vector<std::string> unapproved(const ServerConfig& server) {
  std::vector<std::string> paths;
  for (const auto& [path, approved] : server.executables) {
    if (approved.empty()) paths.push_back(path);
  }
  return paths;
}

std::string will_not_start(const ServerConfig& server, const std::vector<std::string>& paths) {
  return fmt::format("server \"{}\" will not start: nobody has approved {}", server.name,
                     fmt::join(paths, ", "));
}

/// Reads servers' executables, each file once.
class ExecutableReview {
 public:
  explicit ExecutableReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, server] : config_.servers) {
      if (server.executables.empty()) continue;
      review_files(server);
      review_approval(server);
      review_program(server);
    }
    return std::move(problems_);
  }

 private:
  const Result<ReadExecutable>& read(const std::string& path) {
    const auto known = read_.find(path);
    return known != read_.end() ? known->second
                                : read_.emplace(path, read_executable(path)).first->second;
  }

  void warn(const ServerConfig& server, std::string message, std::string hint = {}) {
    problems_.push_back(warning(config_, server, std::move(message), std::move(hint)));
  }

  void review_files(const ServerConfig& server) {
    for (const auto& [path, approved] : server.executables) {
      const Result<ReadExecutable>& file = read(path);
      if (!file.has_value()) {
        warn(server, file.error().detail + ", on this machine");
      } else if (!approved.empty() && file->sha256 != approved) {
        warn(server,
             fmt::format("executable \"{}\" of server \"{}\" is not what was approved: its SHA-256 "
                         "is {}",
                         path, server.name, file->sha256),
             "if that is what it should be, write it into the lock file");
      }
    }
  }

  /// Reports unapproved files, with the lock file's entry for the whole server.
  void review_approval(const ServerConfig& server) {
    const std::vector<std::string> missing = unapproved(server);
    if (missing.empty()) return;
    std::string approval;
    for (const auto& [path, approved] : server.executables) {
      const Result<ReadExecutable>& file = read(path);
      if (approved.empty() && !file.has_value()) continue;
      approval += approval.empty() ? "" : ", ";
      append_json_string(approval, path);
      approval += ": ";
      append_json_string(approval, approved.empty() ? file->sha256 : approved);
    }
    const std::string file = config_.pins.file.empty() ? "bartizan.lock" : config_.pins.file;
    warn(server, will_not_start(server, missing),
         fmt::format("{}once they are what they should be, write \"executables\": {{{}}} into "
                     "\"{}\" of \"servers\" of {}",
                     config_.pins.file.empty() ? "write [pins] file = \"bartizan.lock\"; " : "",
                     approval, server.name, file));
  }

  void review_program(const ServerConfig& server) {
    ReadExecutables files;
    for (const auto& [path, approved] : server.executables) {
      const Result<ReadExecutable>& file = read(path);
      if (!file.has_value()) continue;
      files.emplace(
          path, ReadExecutable{
                    .sha256 = file->sha256, .state = file->state, .file = file->file.duplicate()});
    }
    const Result<std::string> program =
        find_program(server.command.front(), {server.env.begin(), server.env.end()});
    if (!program.has_value()) return;  // Said of every server's command.
    const Result<Image> image = find_image(files, server.command.front(), *program);
    if (image.has_value()) return;
    warn(server,
         fmt::format("server \"{}\" will not start: {}", server.name, image.error().detail));
  }

  const Config& config_;
  std::map<std::string, Result<ReadExecutable>> read_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_executable_problems(const Config& config) {
  return ExecutableReview(config).run();
}

std::vector<ConfigProblem> find_unapproved(const Config& config) {
  std::vector<ConfigProblem> problems;
  for (const auto& [name, server] : config.servers) {
    const std::vector<std::string> missing = unapproved(server);
    if (missing.empty()) continue;
    problems.push_back(warning(config, server, will_not_start(server, missing),
                               "bartizan check prints what to write into the lock file"));
  }
  return problems;
}

}  // namespace bartizan
