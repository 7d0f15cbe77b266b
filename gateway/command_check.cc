#include "gateway/command_check.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/load_config.h"
#include "policy/compile_policy.h"

namespace bartizan {
namespace {

/// Until gateways share state, each one counts for itself, which nobody should learn in an attack.
constexpr std::string_view kLimitScope =
    "note: limits count in this process only: a second gateway grants the same again";

using Severity = ConfigProblem::Severity;

std::size_t count(const std::vector<ConfigProblem>& problems, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(problems, severity, &ConfigProblem::severity));
}

bool stands_at(const std::vector<ConfigProblem>& problems, const std::string& where) {
  return std::ranges::find(problems, where, &ConfigProblem::where) != problems.end();
}

/// What this machine lacks of what the configuration names: warnings, since it may be meant for
/// another one.
std::vector<ConfigProblem> find_machine_problems(const Config& config) {
  std::vector<ConfigProblem> problems;
  const auto warn = [&](const Position& where, std::string message) {
    problems.push_back({.severity = Severity::warning,
                        .where = text(config, where),
                        .message = std::move(message) + " on this machine"});
  };
  const auto try_secret = [&](const SecretReference& secret) {
    if (secret.kind == SecretReference::Kind::none) return;
    const Result<std::string> read = read_secret(secret);
    if (!read.has_value()) warn(secret.where, read.error().detail);
  };
  std::error_code ignored;
  try_secret(config.audit.digest_key);
  const std::filesystem::path record = config.audit.file;
  if (!std::filesystem::is_directory(record.parent_path(), ignored)) {
    warn({}, "the folder of the record \"" + config.audit.file + "\" does not exist");
  }
  for (const auto& [name, server] : config.servers) {
    try_secret(server.bearer);
    for (const auto& [variable, secret] : server.env_secrets)
      try_secret(secret);
    if (!server.cwd.empty() && !std::filesystem::is_directory(server.cwd, ignored)) {
      warn(server.where, "the cwd \"" + server.cwd + "\" does not exist");
    }
    if (server.command.empty() || !server.command.front().starts_with('/')) continue;
    if (access(server.command.front().c_str(), X_OK) != 0) {
      warn(server.where, "the program \"" + server.command.front() + "\" cannot be run");
    }
  }
  return problems;
}

/// What was meant for a time that is over, or takes away protection while it lasts.
std::vector<ConfigProblem> find_timely_problems(const Config& config, std::int64_t now) {
  std::vector<ConfigProblem> problems;
  const auto warn = [&](const Position& where, std::string message) {
    problems.push_back({.severity = Severity::warning,
                        .where = text(config, where),
                        .message = std::move(message)});
  };
  for (const ApiKeyConfig& key : config.auth.api_keys) {
    if (key.expires.has_value() && *key.expires <= now) {
      warn(key.where, "the key \"" + key.name + "\" has expired: whoever sends it is refused");
    }
  }
  if (config.policy.mode == PolicySettings::Mode::observe) {
    const bool is_over = config.policy.until.value_or(0) <= now;
    warn(config.policy.where, is_over ? "\"until\" is over: the policy enforces"
                                      : "mode \"observe\": what rules refuse is forwarded");
  }
  return problems;
}

/// What the loader finds, then what only the schema finds, then what is wrong with the policy,
/// which can be compiled only from a configuration that holds together.
std::vector<ConfigProblem> find_problems(const std::string& file, const LoadedConfig& loaded) {
  std::vector<ConfigProblem> problems = loaded.problems;
  for (ConfigProblem& problem : check_against_schema(file)) {
    // At one place the loader's sentence is the better one, and one is enough.
    if (!stands_at(loaded.problems, problem.where)) problems.push_back(std::move(problem));
  }
  if (!loaded.usable()) return problems;
  std::ranges::move(find_policy_problems(loaded.config, {}), std::back_inserter(problems));
  std::ranges::move(find_machine_problems(loaded.config), std::back_inserter(problems));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::ranges::move(
      find_timely_problems(loaded.config,
                           std::chrono::duration_cast<std::chrono::seconds>(now).count()),
      std::back_inserter(problems));
  return problems;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

void write_text(const std::string& file, const Config& config,
                const std::vector<ConfigProblem>& problems, const CommandOutput& output) {
  for (const ConfigProblem& problem : problems)
    output.problems << text(problem) << '\n';
  const std::size_t errors = count(problems, Severity::error);
  const std::size_t warnings = count(problems, Severity::warning);
  if (errors != 0) {
    output.results << fmt::format("{}: {}, {}\n", file, counted(errors, "error"),
                                  counted(warnings, "warning"));
    return;
  }
  output.results << fmt::format(
                        "{}: ok, {}, {}, {}, {}\n", file, counted(config.servers.size(), "server"),
                        counted(config.rules.size(), "rule"),
                        counted(config.limits.size(), "limit"), counted(warnings, "warning"))
                 << kLimitScope << '\n';
}

void write_json(const std::string& file, const std::vector<ConfigProblem>& problems,
                const CommandOutput& output) {
  const std::size_t errors = count(problems, Severity::error);
  std::vector<JsonObject> found(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const bool is_error = problems[i].severity == Severity::error;
    found[i].add("severity", is_error ? "error" : "warning");
    found[i].add("where", problems[i].where);
    found[i].add("message", problems[i].message);
    if (!problems[i].hint.empty()) found[i].add("hint", problems[i].hint);
  }
  JsonObject json;
  json.add("file", file);
  json.add("ok", errors == 0 ? Answer::yes : Answer::no);
  json.add("errors", errors);
  json.add("warnings", count(problems, Severity::warning));
  json.add("limit_scope", "process");
  json.add("problems", found);
  output.results << json.text() << '\n';
}

}  // namespace

int check_configuration(const std::string& file, const CommandOutput& output) {
  const LoadedConfig loaded = load_config(file);
  const std::vector<ConfigProblem> problems = find_problems(file, loaded);
  switch (output.format) {
    case OutputFormat::text:
      write_text(file, loaded.config, problems, output);
      break;
    case OutputFormat::json:
      write_json(file, problems, output);
      break;
  }
  return finish(output, count(problems, Severity::error) == 0 ? kExitDone : kExitFailed);
}

}  // namespace bartizan
