#include "gateway/command/server_commands.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

/// The options for a server without a configuration.
void add_server_options(CLI::App& command, WrapOptions& options) {
  command.add_option("--name", options.name, "its name in records (default: from the command)");
  command.add_option("--cwd", options.cwd, "its working directory");
  command
      .add_option("--env", options.env,
                  "a variable that it inherits besides PATH and HOME (may be given again)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--secret", options.secrets, "NAME=file:PATH: a variable whose value is a secret")
      ->allow_extra_args(false);
}

void add_scan(CLI::App& app, ServerCommands& commands, CommandOutput& output,
              std::function<int(const Launcher&)>& with_launcher) {
  CLI::App* scan = app.add_subcommand("scan", "search for poisoned tool definitions");
  std::vector<std::string>& words = commands.wrap.command;
  scan->add_option(
          "FILE", words,
          "configuration, TOML; lock file or result of tools/list, JSON; with --run, a server's "
          "program and its arguments")
      ->required();
  CLI::Option* run = scan->add_flag_callback(
      "--run", [&commands] { commands.scan.program.emplace(); },
      "start the server whose command is given, and scan its tools");
  add_server_options(*scan, commands.wrap);
  for (const char* name : {"--name", "--cwd", "--env", "--secret"})
    scan->get_option(name)->needs(run);
  scan->add_flag_callback(
          "--locked", [&commands] { commands.scan.servers = ScanOptions::Servers::leave; },
          "scan the lock file of the configuration; no server is asked")
      ->excludes(run);
  // SARIF findings need a file.
  scan->add_flag_callback(
          "--sarif", [&commands] { commands.scan.report = ScanOptions::Report::sarif; },
          "SARIF 2.1.0")
      ->excludes(run);
  scan->add_option_function<std::string>(
          "--fail",
          [&commands](const std::string& severity) {
            commands.scan.fails_from = severity == "low"      ? FindingSeverity::low
                                       : severity == "medium" ? FindingSeverity::medium
                                                              : FindingSeverity::high;
          },
          "fail on findings of this severity or above (default: high)")
      ->check(CLI::IsMember({"low", "medium", "high"}));
  scan->add_flag_callback(
      "--json", [&output] { output.format = OutputFormat::json; }, "one JSON document");
  scan->callback([&commands, &output, &with_launcher] {
    if (commands.scan.program.has_value()) {
      commands.scan.program = commands.wrap;
    } else if (commands.wrap.command.size() > 1) {
      throw CLI::ValidationError("FILE", "one at a time; for a program: scan --run COMMAND");
    }
    commands.scan.file = commands.wrap.command.front();
    with_launcher = [&](const Launcher& launcher) {
      return scan_tools(commands.scan, launcher, output);
    };
  });
}

void add_wrap(CLI::App& app, ServerCommands& commands,
              std::function<int(const Launcher&)>& with_launcher) {
  CLI::App* wrap = app.add_subcommand("wrap", "protect and record the calls of one server");
  WrapOptions& options = commands.wrap;
  wrap->add_option("COMMAND", options.command, "the server's program and its arguments")
      ->required();
  add_server_options(*wrap, options);
  wrap->add_option("--allow", options.allow,
                   "sampling,elicitation,roots,tasks: what the server may use")
      ->delimiter(',')
      ->allow_extra_args(false);
  wrap->add_option("--tools", options.tools, "read_file,list_*: only these tools")
      ->delimiter(',')
      ->allow_extra_args(false);
  wrap->add_option("--deny", options.deny, "write_*: not these tools")
      ->delimiter(',')
      ->allow_extra_args(false);
  wrap->add_option("--root", options.root, "DIR: path arguments must stay below this folder");
  wrap->add_flag("--read-only", options.read_only,
                 "only tools that --approve names and that are marked as read-only");
  wrap->add_option("--rate", options.rates, "calls in a window (default: 60000/min)")
      ->allow_extra_args(false);
  wrap->add_option("--approve", options.approve, "TOOL=FINGERPRINT: approve this definition")
      ->allow_extra_args(false);
  wrap->add_flag("--answers-only", options.answers_only,
                 "send responses only, nothing unsolicited");
  wrap->add_option("--untranslatable-patterns", options.untranslatable_patterns,
                   "accept: use tools whose patterns cannot be enforced");
  wrap->add_option("--timeout", options.timeout, "of one call (default: 10m)");
  wrap->add_option("--log", options.log, "debug, info, warning or error (default: warning)");
  wrap->add_option("--record", options.record,
                   "file, from the current folder (default: $XDG_STATE_HOME/bartizan/NAME.jsonl)");
  wrap->add_option("--digest-key", options.digest_key, "file:PATH or env:NAME (default: random)");
  wrap->callback([&commands, &with_launcher] {
    with_launcher = [&](const Launcher& launcher) { return wrap_server(commands.wrap, launcher); };
  });
}

}  // namespace

void add_server_commands(CLI::App& app, ServerCommands& commands, CommandOutput& output,
                         std::function<int(const Launcher&)>& with_launcher) {
  add_scan(app, commands, output, with_launcher);
  add_wrap(app, commands, with_launcher);
}

}  // namespace bartizan
