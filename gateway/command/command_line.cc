#include "gateway/command/command_line.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include "gateway/command/admin_commands.h"
#include "gateway/command/approval_commands.h"
#include "gateway/command/audit_commands.h"
#include "gateway/command/command_check.h"
#include "gateway/command/command_diff.h"
#include "gateway/command/command_explain.h"
#include "gateway/command/command_health.h"
#include "gateway/command/command_help.h"
#include "gateway/command/command_learn.h"
#include "gateway/command/command_line_mistake.h"
#include "gateway/command/command_names.h"
#include "gateway/command/command_pin.h"
#include "gateway/command/command_replay.h"
#include "gateway/command/command_test.h"
#include "gateway/command/command_who_can.h"
#include "gateway/command/config_reference.h"
#include "gateway/command/credential_commands.h"
#include "gateway/command/server_commands.h"
#include "gateway/command/setup_commands.h"
#include "gateway/control/run.h"
#include "gateway/launch/launcher.h"
#include "gateway/launch/protect_memory.h"
#include "gateway/review/command_output.h"
#include "gateway/runtime/version.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

/// The parsed command line, and the selected action.
struct CommandLine {
  RunOptions run;
  SetupCommands setup;
  CheckOptions check;
  TestOptions test;
  ExplainOptions explain;
  WhoCanOptions who_can;
  DiffOptions diff;
  ReplayOptions replay;
  LearnOptions learn;
  PinOptions pin;
  ServerCommands servers;
  AdminCommands admin;
  ApprovalsOptions approvals;
  std::string health_address = "127.0.0.1:9901";
  CredentialCommands credentials;
  AuditCommands audit;
  std::string page, shell;
  CommandOutput output{
      .results = std::cout, .problems = std::cerr, .terminal = terminal_of(STDERR_FILENO)};
  std::function<int()> action;
  /// The action of a command that starts servers.
  std::function<int(const Launcher&)> with_launcher;

  template <class Options>
  void launch(int (*run_it)(const Options&, const Launcher&), const Options& options) {
    with_launcher = [=, &options](const Launcher& launcher) { return run_it(options, launcher); };
  }
  template <class Options>
  void launch(int (*run_it)(const Options&, const Launcher&, const CommandOutput&),
              const Options& options) {
    with_launcher = [=, this, &options](const Launcher& launcher) {
      return run_it(options, launcher, output);
    };
  }
};

void add_json_flag(CLI::App& command, CommandLine& line) {
  command.add_flag_callback(
      "--json", [&line] { line.output.format = OutputFormat::json; }, "one JSON document");
}

/// `--format`; its value `json` equals `--json`.
void add_report_format(CLI::App& command, CommandLine& line, ReportFormat& report,
                       const std::vector<std::string>& formats) {
  std::string names;
  for (const std::string& format : formats)
    names += (names.empty() ? "" : format == formats.back() ? " or " : ", ") + format;
  command
      .add_option_function<std::string>(
          "--format",
          [&line, &report](const std::string& format) {
            if (format == "json") line.output.format = OutputFormat::json;
            if (format == "markdown") report = ReportFormat::markdown;
            if (format == "github") report = ReportFormat::github;
            if (format == "sarif") report = ReportFormat::sarif;
            if (format == "junit") report = ReportFormat::junit;
          },
          names + " (default: text)")
      ->check(CLI::IsMember(formats))
      ->excludes("--json");
}

/// `FILE`, or `--config FILE` for scripts; help shows it only once.
void add_configuration(CLI::App& command, std::string& file) {
  CLI::Option* positional = command.add_option("FILE", file, "configuration, TOML");
  CLI::Option* named = command.add_option("--config", file)->group("");
  command.parse_complete_callback([positional, named] {
    if (positional->count() + named->count() == 0) throw CLI::RequiredError("FILE");
  });
}

/// On a terminal: a progress line that is overwritten and removed at the end.
void add_progress(std::function<void(const DiffProgress&)>& progress) {
  if (isatty(STDERR_FILENO) != 1) return;
  progress = [](const DiffProgress& at) {
    if (at.groups == at.of) {
      std::cerr << "\x1b[K";
      return;
    }
    std::cerr << "compared " << at.groups << " of " << at.of << " groups of callers and tools, "
              << at.calls << " calls\r";
  };
}

void add_run_and_check(CLI::App& app, CommandLine& line) {
  CLI::App* run = app.add_subcommand("run", "run the gateway until SIGTERM or SIGINT");
  add_configuration(*run, line.run.config_file);
  run->add_flag_callback(
      "--stdio", [&line] { line.run.clients = Clients::over_stdio; },
      "serve one client over standard input and output, until it leaves");
  run->add_flag("--beside", line.run.beside,
                "with --stdio: use files of its own, beside a gateway that is started later");
  run->add_flag("--answers-only", line.run.answers_only, "with --stdio: send responses only");
  run->add_option(
      "--record", line.run.record,
      "record file, from the current folder; [audit] file starts from the configuration's");
  run->callback([&line] { line.launch(run_gateway, line.run); });

  CLI::App* check = app.add_subcommand("check", "report all problems of a configuration");
  add_configuration(*check, line.check.file);
  check->add_flag_callback(
      "--servers", [&line] { line.check.servers = CheckOptions::Servers::ask; },
      "start the servers, and compare their tools with the policy");
  check->add_flag("--online", line.check.asks_issuers,
                  "ask identity providers whether they answer and know the gateway");
  check->add_flag("--strict", line.check.is_strict, "fail on warnings, too");
  add_json_flag(*check, line);
  add_report_format(*check, line, line.check.report, {"text", "json", "github", "sarif", "junit"});
  add_progress(line.check.progress);
  check->callback([&line] { line.launch(check_configuration, line.check); });
}

void add_test(CLI::App& app, CommandLine& line) {
  CLI::App* test = app.add_subcommand("test", "test whether a policy decides calls as expected");
  test->add_option("POLICY", line.test.policy, "configuration, TOML")->required();
  test->add_option("CASES", line.test.cases, "calls with their expected decisions, TOML")
      ->required();
  test->add_flag_callback(
      "--every-rule", [&line] { line.test.coverage = TestOptions::Coverage::require; },
      "fail if a rule matches in no case");
  add_json_flag(*test, line);
  add_report_format(*test, line, line.test.report, {"text", "json", "github", "junit"});
  test->callback(
      [&line] { line.action = [&line] { return test_policy(line.test, line.output); }; });
}

void add_explain(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand("explain", "explain the decision about a call");
  ExplainOptions& options = line.explain;
  command
      ->add_option("CALL", options.asked,
                   "call, JSON (- for standard input); with --as, SERVER/TOOL; or a decision id")
      ->required();
  CLI::Option* arguments =
      command->add_option("ARGUMENT", options.arguments, "with --as: NAME=VALUE or POINTER=VALUE");
  CLI::Option* policy = command->add_option("--policy", options.policy, "configuration, TOML");
  CLI::Option* as =
      command->add_option("--as", options.as, "NAME of the principal or role that calls")
          ->needs(policy);
  arguments->needs(as);
  CLI::Option* record =
      command->add_option("--record", options.record.files, "record file that has the id")
          ->allow_extra_args(false);
  command->add_option("--capture", options.capture, "capture that has the call with the id")
      ->needs(policy)
      ->excludes(record)
      ->excludes(as);
  as->excludes(record);
  command
      ->add_option("--time", options.time,
                   "TIME: judge the call as at that time, 2027-01-31T09:00:00Z")
      ->needs(policy)
      ->excludes(record);
  add_json_flag(*command, line);
  command->callback([&line, policy, record] {
    if (policy->count() + record->count() == 0) throw CLI::RequiredError("--policy or --record");
    line.action = [&line] { return explain(line.explain, std::cin, line.output); };
  });
}

void add_who_can(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand("who-can", "show who can call a tool, and when");
  WhoCanOptions& options = line.who_can;
  command->add_option("TOOL", options.tool, "SERVER/TOOL")->required();
  command
      ->add_option("--argument", options.arguments,
                   "NAME=VALUE or POINTER=VALUE: an argument of the calls (may be given again)")
      ->allow_extra_args(false);
  command->add_option("--config", options.config,
                      "configuration, TOML (default: what the gateway loaded last)");
  CLI::Option* policy =
      command->add_option("--policy", options.policy, "DIGEST or its beginning: an earlier policy");
  command->add_option("--at", options.at, "TIME: the policy in force then")->excludes(policy);
  add_json_flag(*command, line);
  command->callback(
      [&line] { line.action = [&line] { return who_can(line.who_can, line.output); }; });
}

void add_diff(CLI::App& app, CommandLine& line) {
  CLI::App* diff =
      app.add_subcommand("diff", "show what each role gains and loses by a new policy");
  diff->add_option("OLD", line.diff.older, "configuration, TOML")->required();
  diff->add_option("NEW", line.diff.newer, "configuration, TOML")->required();
  add_json_flag(*diff, line);
  add_report_format(*diff, line, line.diff.report, {"text", "json", "markdown", "github"});
  add_progress(line.diff.progress);
  diff->callback(
      [&line] { line.action = [&line] { return diff_configurations(line.diff, line.output); }; });
}

void add_replay(CLI::App& app, CommandLine& line) {
  CLI::App* replay = app.add_subcommand("replay", "show how a policy decides captured calls");
  replay->add_option("CAPTURE", line.replay.capture, "the file of [capture]")->required();
  replay->add_option("--policy", line.replay.policy, "configuration, TOML")->required();
  replay->add_flag_callback(
      "--all", [&line] { line.replay.listed_max = 0; },
      "list all calls that are decided differently, not only 20");
  add_json_flag(*replay, line);
  replay->callback(
      [&line] { line.action = [&line] { return replay_capture(line.replay, line.output); }; });
}

void add_learn(CLI::App& app, CommandLine& line) {
  CLI::App* learn =
      app.add_subcommand("learn", "write the least policy that permits the captured calls");
  learn->add_option("CAPTURE", line.learn.capture, "the file of [capture]")->required();
  learn->add_option("--config", line.learn.config, "configuration whose permits it replaces, TOML")
      ->required();
  CLI::Option* output =
      learn->add_option("--output", line.learn.output, "a new file (default: standard output)");
  learn->add_flag("--replace", line.learn.is_replaced, "replace the file of --output")
      ->needs(output);
  add_json_flag(*learn, line);
  learn->callback(
      [&line] { line.action = [&line] { return learn_capture(line.learn, line.output); }; });
}

void add_pin(CLI::App& app, CommandLine& line) {
  using Then = PinOptions::Then;
  CLI::App* pin =
      app.add_subcommand("pin", "approve what servers list: write the lock file of [pins]");
  add_configuration(*pin, line.pin.config);
  pin->add_option("--server", line.pin.server, "this server only");
  pin->add_option("--tool", line.pin.tool, "SERVER/TOOL, a glob: these tools only")
      ->capture_default_str();
  CLI::Option* check = pin->add_flag_callback(
      "--check", [&line] { line.pin.then = Then::check; }, "fail if something differs");
  CLI::Option* diff = pin->add_flag_callback(
      "--diff", [&line] { line.pin.then = Then::diff; }, "only show the differences");
  pin->add_option("--accept", line.pin.accept, "digest shown with the differences")
      ->excludes(check)
      ->excludes(diff);
  check->excludes(diff);
  add_json_flag(*pin, line);
  pin->callback([&line] { line.launch(pin_tools, line.pin); });
}

void add_health(CLI::App& app, CommandLine& line) {
  CLI::App* health = app.add_subcommand("health", "ask a running gateway whether it accepts calls");
  health->add_option("ADDRESS", line.health_address, "its [metrics] address")
      ->capture_default_str();
  health->callback(
      [&line] { line.action = [&line] { return ask_health(line.health_address, line.output); }; });
}

void add_version(CLI::App& app, CommandLine& line) {
  app.add_subcommand("version", "print the version")->callback([&line] {
    line.action = [&line] {
      line.output.results << "bartizan " << kVersion << '\n';
      return finish(line.output, kExitDone);
    };
  });
}

/// Pages and scripts that are generated from the program's own data.
void add_manual(CLI::App& app, CommandLine& line) {
  CLI::App* manual = app.add_subcommand("manual", "print a manual page, or the list of all keys");
  manual->add_option("PAGE", line.page, "bartizan.1, bartizan.toml.5, or reference, in Markdown")
      ->check(CLI::IsMember({"bartizan.1", "bartizan.toml.5", "reference"}))
      ->required();
  manual->callback([&app, &line] {
    line.action = [&app, &line] {
      if (line.page == "bartizan.1") {
        line.output.results << command_manual(command_help(app));
        return finish(line.output, kExitDone);
      }
      const auto tables = config_reference();
      if (!tables.has_value()) {
        line.output.problems << "bartizan manual: the schema: " << tables.error().detail << '\n';
        return kExitFailed;
      }
      line.output.results << (line.page == "reference" ? reference_page(*tables)
                                                       : reference_manual(*tables));
      return finish(line.output, kExitDone);
    };
  });

  CLI::App* completion = app.add_subcommand("completion", "print the completion for a shell");
  completion->add_option("SHELL", line.shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  completion->callback([&app, &line] {
    line.action = [&app, &line] {
      const Shell shell = line.shell == "bash"  ? Shell::bash
                          : line.shell == "zsh" ? Shell::zsh
                                                : Shell::fish;
      line.output.results << completion_of(command_help(app), shell);
      return finish(line.output, kExitDone);
    };
  });
}

/// The launcher is forked before anything is read, so that its memory has no secrets.
int run_with_launcher(const CommandLine& line) {
  const Result<Launcher> launcher = Launcher::start();
  if (!launcher.has_value()) {
    line.output.problems << "bartizan: " << launcher.error().detail << '\n';
    return kExitFailed;
  }
  protect_memory();
  keep_secrets_locked();
  // A write to a server that has ended gives an error, not a signal. The launcher was forked
  // before, so servers start with the default.
  std::signal(SIGPIPE, SIG_IGN);
  return line.with_launcher(*launcher);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Bartizan: a gateway that judges and records every MCP call"};
  app.name("bartizan");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done; 1 failure, or the check found problems; 2 wrong usage.\nResults go to "
      "standard output, problems and logs to standard error.");
  CommandLine line;
  add_run_and_check(app, line);
  add_test(app, line);
  add_explain(app, line);
  add_who_can(app, line);
  add_diff(app, line);
  add_replay(app, line);
  add_learn(app, line);
  add_pin(app, line);
  add_server_commands(app, line.servers, line.output, line.with_launcher);
  add_admin_commands(app, line.admin, line.output, line.action);
  add_approval_commands(app, line.approvals, line.output, line.action);
  add_health(app, line);
  add_setup_commands(app, line.setup, line.output, line.action);
  add_credential_commands(app, line.credentials, line.output, line.action);
  add_audit_commands(app, line.audit, line.output, line.action);
  add_manual(app, line);
  add_version(app, line);
  app.set_version_flag("--version", "bartizan " + std::string(kVersion));
  const CommandNames names = command_names(app);
  std::vector<std::string> arguments = divide_program({argv + 1, argv + argc}, names);
  if (const auto mistake = find_mistake(arguments, names)) {
    std::cerr << "bartizan: " << *mistake << '\n';
    return kExitUsage;
  }
  try {
    // The library expects them in reverse order.
    std::ranges::reverse(arguments);
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? kExitDone : kExitUsage;
  }
  return line.with_launcher ? run_with_launcher(line) : line.action();
}

}  // namespace bartizan
