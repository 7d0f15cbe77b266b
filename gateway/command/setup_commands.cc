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
  CLI::App* init =
      app.add_subcommand("init", "write a configuration from a desktop client's servers");
  CLI::Option* file = init->add_option("FILE", options.client_file,
                                       "the client's mcpServers, JSON; it is not changed");
  CLI::Option* example =
      init->add_option("--example", commands.example,
                       "DIR: make this folder with a configuration to start from, and its key")
          ->excludes(file);
  init->add_option("--output", options.output, "the gateway's configuration")
      ->default_val("gateway.toml");
  init->add_flag_callback(
      "--force", [&options] { options.existing = Existing::replace; }, "replace an existing file");
  for (const char* name : {"--output", "--force"})
    init->get_option(name)->excludes(example);
  add_json(*init, output);
  init->callback([&commands, &output, &action, file, example] {
    if (file->count() + example->count() == 0) throw CLI::RequiredError("FILE or --example");
    action = [&commands, &output] {
      return commands.example.empty() ? init_configuration(commands.init, output)
                                      : init_example(commands.example, output);
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
