#include "gateway/command/setup_commands.h"

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

void add_json(CLI::App& command, CommandOutput& output) {
  command.add_flag_callback(
      "--json", [&output] { output.format = OutputFormat::json; }, "one JSON document");
}

void add_init(CLI::App& app, InitOptions& options, CommandOutput& output,
              std::function<int()>& action) {
  CLI::App* init =
      app.add_subcommand("init", "write a configuration from a desktop client's servers");
  init->add_option("FILE", options.client_file, "the client's mcpServers, JSON; only read")
      ->required();
  init->add_option("--output", options.output, "the gateway's configuration")
      ->default_val("gateway.toml");
  init->add_flag_callback(
      "--force", [&options] { options.existing = Existing::replace; }, "replace what is there");
  add_json(*init, output);
  init->callback([&] { action = [&] { return init_configuration(options, output); }; });
}

void add_convert(CLI::App& app, ConvertOptions& options, CommandOutput& output,
                 std::function<int()>& action) {
  CLI::App* convert =
      app.add_subcommand("convert", "write a configuration from that of a Groundhog system");
  convert->add_option("FILE", options.file, "its configuration, TOML; only read")->required();
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
  add_init(app, commands.init, output, action);
  add_convert(app, commands.convert, output, action);
}

}  // namespace bartizan
