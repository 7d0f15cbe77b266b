#include "gateway/command/admin_commands.h"

#include <array>
#include <iostream>
#include <tuple>
#include <utility>

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

/// The parser's targets for an `AdminCommands`.
struct Line {
  AdminCommands& commands;
  CommandOutput& output;
  std::function<int()>& action;
};

void add_json_flag(CLI::App& command, const Line& line) {
  command.add_flag_callback(
      "--json", [&output = line.output] { output.format = OutputFormat::json; },
      "one JSON document");
}

constexpr const char* kFile = "configuration with [admin], TOML";

void add_release(CLI::App& app, const Line& line) {
  CLI::App* release =
      app.add_subcommand("release", "accept a quarantined definition in a running gateway");
  ReleaseOptions& options = line.commands.release;
  release->add_option("FILE", options.config, kFile)->required();
  release->add_option("TOOL", options.tool, "SERVER/TOOL")->required();
  release
      ->add_option("FINGERPRINT", options.fingerprint,
                   "fingerprint of the definition, from the log")
      ->required();
  add_json_flag(*release, line);
  release->callback([line] {
    line.action = [line] { return release_quarantined(line.commands.release, line.output); };
  });
}

/// A kind of thing that can be revoked or blocked.
struct RevocableKind {
  const char* kind;
  const char* name;  ///< The argument's name; null: read from standard input.
  const char* about;
  const char* help;
};

void add_kind(CLI::App& command, RevokeOptions::Act act, const RevocableKind& kind,
              const Line& line) {
  RevokeOptions& options = line.commands.revoke;
  CLI::App* sub = command.add_subcommand(kind.kind, kind.help);
  sub->add_option("FILE", options.config, kFile)->required();
  if (kind.name != nullptr) sub->add_option(kind.name, options.name, kind.about)->required();
  sub->add_option("--why", options.why, "reason, for the record; no secret")->required();
  sub->add_option("--for", options.lasts, "duration, such as 1h or 30d (default: until lifted)");
  add_json_flag(*sub, line);
  sub->callback([line, act, &options, name = std::string(kind.kind)] {
    options.act = act;
    options.kind = name;
    line.action = [line] { return revoke(line.commands.revoke, std::cin, line.output); };
  });
}

void add_revoke(CLI::App& app, const Line& line) {
  CLI::App* command = app.add_subcommand("revoke", "revoke a principal, key, token or session");
  command->require_subcommand(1);
  const std::array kinds{
      RevocableKind{"principal", "NAME", "name in the configuration or the record",
                    "a principal, with all its present and later credentials"},
      RevocableKind{"session", "ID", "session id (Mcp-Session-Id)", "one session"},
      RevocableKind{"key", "NAME", "of [auth.api_key.NAME], or the SHA-256 of the key",
                    "one API key"},
      RevocableKind{"token", nullptr, nullptr,
                    "one access token, or its jti, read from standard input"}};
  for (const RevocableKind& kind : kinds)
    add_kind(*command, RevokeOptions::Act::revoke, kind, line);
}

void add_block(CLI::App& app, const Line& line) {
  CLI::App* command =
      app.add_subcommand("block", "block a server or tool for all callers, or a principal");
  command->require_subcommand(1);
  const std::array kinds{
      RevocableKind{"server", "NAME", "of [server.NAME]",
                    "one server, with all its tools, resources and prompts"},
      RevocableKind{"tool", "TOOL", "SERVER/TOOL", "one tool"},
      RevocableKind{"principal", "NAME", "name in the configuration or the record",
                    "a principal, with a message that says so"}};
  for (const RevocableKind& kind : kinds)
    add_kind(*command, RevokeOptions::Act::block, kind, line);
}

void add_lists(CLI::App& app, const Line& line) {
  CLI::App* list = app.add_subcommand("revocations", "list what is revoked and blocked");
  list->add_option("FILE", line.commands.revocations_config, kFile)->required();
  add_json_flag(*list, line);
  list->callback([line] {
    line.action = [line] {
      return list_revocations(line.commands.revocations_config, line.output);
    };
  });
  CLI::App* lifted = app.add_subcommand("lift", "lift a revocation or block");
  lifted->add_option("FILE", line.commands.lift.config, kFile)->required();
  lifted->add_option("NUMBER", line.commands.lift.number, "number that bartizan revocations shows")
      ->required();
  add_json_flag(*lifted, line);
  lifted->callback(
      [line] { line.action = [line] { return lift(line.commands.lift, line.output); }; });
}

void add_registrations(CLI::App& app, const Line& line) {
  using Act = RegistrationsOptions::Act;
  CLI::App* command =
      app.add_subcommand("registrations", "tools that clients registered (list, approve, remove)");
  command->require_subcommand(1);
  RegistrationsOptions& options = line.commands.registrations;
  for (const auto& [name, wanted, help] :
       {std::tuple("list", Act::list, "list registered tools, and those that wait for approval"),
        std::tuple("approve", Act::approve, "approve a registered tool"),
        std::tuple("remove", Act::remove, "remove a registration")}) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("FILE", options.config, kFile)->required();
    if (wanted != Act::list) {
      sub->add_option("NUMBER", options.number, "number that bartizan registrations list shows")
          ->required();
    }
    add_json_flag(*sub, line);
    sub->callback([line, act = wanted, &options] {
      options.act = act;
      line.action = [line] {
        return decide_registrations(line.commands.registrations, line.output);
      };
    });
  }
}

}  // namespace

void add_admin_commands(CLI::App& app, AdminCommands& commands, CommandOutput& output,
                        std::function<int()>& action) {
  const Line line{.commands = commands, .output = output, .action = action};
  add_release(app, line);
  add_revoke(app, line);
  add_block(app, line);
  add_lists(app, line);
  add_registrations(app, line);
}

}  // namespace bartizan
