#include "gateway/command/admin_commands.h"

#include <array>
#include <iostream>
#include <tuple>
#include <utility>

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

/// What an `AdminCommands` is filled from.
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
      app.add_subcommand("release", "let a running gateway take a quarantined definition");
  ReleaseOptions& options = line.commands.release;
  release->add_option("FILE", options.config, kFile)->required();
  release->add_option("TOOL", options.tool, "SERVER/TOOL")->required();
  release->add_option("FINGERPRINT", options.fingerprint, "of the definition, as the log names it")
      ->required();
  add_json_flag(*release, line);
  release->callback([line] {
    line.action = [line] { return release_quarantined(line.commands.release, line.output); };
  });
}

/// One kind of what is revoked or blocked.
struct RevocableKind {
  const char* kind;
  const char* name;  ///< Of the argument; null where it is read from standard input.
  const char* about;
  const char* help;
};

void add_kind(CLI::App& command, RevokeOptions::Act act, const RevocableKind& kind,
              const Line& line) {
  RevokeOptions& options = line.commands.revoke;
  CLI::App* sub = command.add_subcommand(kind.kind, kind.help);
  sub->add_option("FILE", options.config, kFile)->required();
  if (kind.name != nullptr) sub->add_option(kind.name, options.name, kind.about)->required();
  sub->add_option("--why", options.why, "for the record and for whoever lifts it; no secret")
      ->required();
  sub->add_option("--for", options.lasts, "how long, as 1h or 30d (default: until it is lifted)");
  add_json_flag(*sub, line);
  sub->callback([line, act, &options, name = std::string(kind.kind)] {
    options.act = act;
    options.kind = name;
    line.action = [line] { return revoke(line.commands.revoke, std::cin, line.output); };
  });
}

void add_revoke(CLI::App& app, const Line& line) {
  CLI::App* command = app.add_subcommand("revoke", "keep somebody out, or a key, token or session");
  command->require_subcommand(1);
  const std::array kinds{
      RevocableKind{"principal", "NAME", "as the configuration or the record names it",
                    "all that a principal has, and all that it shows later"},
      RevocableKind{"session", "ID", "as its client names it (Mcp-Session-Id)", "one session"},
      RevocableKind{"key", "NAME", "of [auth.api_key.NAME], or the SHA-256 of the key",
                    "one API key"},
      RevocableKind{"token", nullptr, nullptr,
                    "one access token, read from standard input, or its jti"}};
  for (const RevocableKind& kind : kinds)
    add_kind(*command, RevokeOptions::Act::revoke, kind, line);
}

void add_block(CLI::App& app, const Line& line) {
  CLI::App* command =
      app.add_subcommand("block", "keep everybody from a server or tool, or a principal from all");
  command->require_subcommand(1);
  const std::array kinds{
      RevocableKind{"server", "NAME", "of [server.NAME]", "one server, with all that it has"},
      RevocableKind{"tool", "TOOL", "SERVER/TOOL", "one tool"},
      RevocableKind{"principal", "NAME", "as the configuration or the record names it",
                    "a principal, who is told so"}};
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
  CLI::App* lifted = app.add_subcommand("lift", "take back what was revoked or blocked");
  lifted->add_option("FILE", line.commands.lift.config, kFile)->required();
  lifted->add_option("NUMBER", line.commands.lift.number, "as bartizan revocations shows it")
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
       {std::tuple("list", Act::list, "what is registered, and what waits for a person"),
        std::tuple("approve", Act::approve, "let a registered tool be called"),
        std::tuple("remove", Act::remove, "forget a registration")}) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("FILE", options.config, kFile)->required();
    if (wanted != Act::list) {
      sub->add_option("NUMBER", options.number, "as bartizan registrations list shows it")
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
