#include "gateway/command/setup_commands.h"

#include <CLI/CLI.hpp>

#include "gateway/command/command_example.h"

namespace bartizan {
namespace {

void add_json(CLI::App& command, CommandOutput& output) {
  command.add_flag_callback(
      "--json", [&output] { output.format = OutputFormat::json; }, "one JSON document");
}

void add_init(CLI::App& app, SetupCommands& commands, CommandOutput& output,
              std::function<int()>& action) {
  InitOptions& options = commands.init;
  CLI::App* init = app.add_subcommand("init", "set up a desktop client's servers, or an example");
  CLI::Option* file = init->add_option("FILE", options.client.file,
                                       "the client's settings, JSON; changed by --write alone");
  CLI::Option* client =
      init->add_option("--client", options.client.client,
                       "claude-desktop, claude-code, cursor, vscode or windsurf, in place of FILE")
          ->check(CLI::IsMember({"claude-desktop", "claude-code", "cursor", "vscode", "windsurf"}))
          ->excludes(file);
  CLI::Option* write = init->add_flag_callback(
      "--write", [&commands] { commands.writes = true; },
      "put `bartizan wrap` in front of the programs in the settings");
  CLI::Option* undo =
      init->add_flag_callback(
              "--undo", [&commands] { commands.undoes = true; }, "take it away again")
          ->excludes(write);
  CLI::Option* example =
      init->add_option("--example", commands.example,
                       "DIR: make this folder with a configuration to start from, and its key")
          ->excludes(file)
          ->excludes(client)
          ->excludes(write)
          ->excludes(undo);
  init->add_option("--output", options.output, "the gateway's configuration")
      ->default_val("gateway.toml");
  init->add_flag_callback(
      "--force", [&options] { options.existing = Existing::replace; }, "replace an existing file");
  for (const char* name : {"--output", "--force"}) {
    for (CLI::Option* other : {example, write, undo})
      init->get_option(name)->excludes(other);
  }
  add_json(*init, output);
  init->callback([&commands, &output, &action, file, client, example] {
    if (file->count() + client->count() + example->count() == 0) {
      throw CLI::RequiredError("a settings FILE, --client NAME (such as cursor) or --example DIR");
    }
    action = [&commands, &output] {
      if (!commands.example.empty()) return init_example(commands.example, output);
      if (commands.writes) return wrap_client(commands.init.client, output);
      if (commands.undoes) return unwrap_client(commands.init.client, output);
      return init_configuration(commands.init, output);
    };
  });
}

void add_convert(CLI::App& app, ConvertOptions& options, CommandOutput& output,
                 std::function<int()>& action) {
  CLI::App* convert =
      app.add_subcommand("convert", "convert the configuration of a Groundhog system");
  convert->add_option("FILE", options.file, "its configuration, TOML; it is not changed")
      ->required();
  convert->add_option("--output", options.output, "a new file (default: standard output)");
  convert
      ->add_option("--allowed-host", options.allowed_hosts,
                   "a name by which clients call the gateway (may be given again)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_json(*convert, output);
  convert->callback([&] { action = [&] { return convert_configuration(options, output); }; });
}

}  // namespace

void add_setup_commands(CLI::App& app, SetupCommands& commands, CommandOutput& output,
                        std::function<int()>& action) {
  add_init(app, commands, output, action);
  add_convert(app, commands.convert, output, action);
}

}  // namespace bartizan
