#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "policy/check/compile_policy.h"
#include "policy/review/unused_form.h"
#include "policy/shell/blocked_commands.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

/// Programs that execute their arguments, or files named there, which are not examined.
bool runs_its_arguments(std::string_view program) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"awk",  "cargo", "chroot",  "curl",   "docker", "ed",  "emacs",   "ex",       "expect",
       "find", "flock", "gawk",    "gdb",    "git",    "go",  "kubectl", "less",     "make",
       "man",  "mawk",  "nawk",    "nodejs", "npm",    "npx", "nsenter", "parallel", "podman",
       "psql", "pwsh",  "rsync",   "screen", "script", "sed", "sqlite3", "ssh",      "strace",
       "tar",  "tmux",  "unshare", "uvx",    "vi",     "vim", "watch",   "zip"});
  /// They are also installed with their versions: `python3.12`.
  static constexpr auto kVersioned = std::to_array<std::string_view>(
      {"lua", "node", "perl", "php", "pip", "python", "ruby", "tclsh"});
  const std::string_view name = program_name(program);
  const auto is_version = [name](std::string_view language) {
    return name.starts_with(language) &&
           name.find_first_not_of("0123456789.-", language.size()) == std::string_view::npos;
  };
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kVersioned, is_version);
}

ConfigProblem unbound(const Config& config, const CommandConfig& command,
                      const std::string& program) {
  const std::string& name = command.name;
  return {Severity::warning, text(config, command.where),
          "[command." + name + "] lets \"" + program + "\" run whatever its arguments say",
          "write [command." + name + ".arguments] " + program + " = ['…'], its patterns"};
}

}  // namespace

std::vector<ConfigProblem> find_command_problems(const Config& config) {
  std::vector<ConfigProblem> problems;
  warn_of_unused<CommandPredicate>(config, "command", config.commands, problems);
  for (const auto& [name, command] : config.commands) {
    // For arguments of a single program, options and shell syntax are refused.
    if (!command.form.arguments_of.empty()) continue;
    for (const std::string& program : command.form.programs) {
      if (!runs_its_arguments(program) || command.form.arguments.contains(program)) continue;
      problems.push_back(unbound(config, command, program));
    }
  }
  return problems;
}

}  // namespace bartizan
