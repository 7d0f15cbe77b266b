#include "gateway/command/credential_commands.h"

#include <unistd.h>

#include <iostream>

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

void add_json(CLI::App& command, CommandOutput& output) {
  command.add_flag_callback(
      "--json", [&output] { output.format = OutputFormat::json; }, "one JSON document");
}

void add_key(CLI::App& app, CredentialCommands& commands, CommandOutput& output,
             std::function<int()>& action) {
  CLI::App* key = app.add_subcommand("key", "make an API key (new), or digest one (hash)");
  key->require_subcommand(1);
  CLI::App* made = key->add_subcommand("new", "make a key, which is shown only once");
  made->add_option("NAME", commands.key.name, "name of the key in the configuration")->required();
  made->add_option("--principal", commands.key.principal, "principal that the key authenticates")
      ->required();
  made->add_option("--expires", commands.key.expires,
                   "2027-01-31, or 90d: the day from which the key is refused, at midnight UTC");
  made->add_option("--out", commands.key.out, "a new file for the key, instead of the terminal");
  commands.key.has_terminal = isatty(STDERR_FILENO) == 1;
  add_json(*made, output);
  made->callback([&] { action = [&] { return make_key(commands.key, output); }; });
  CLI::App* hash = key->add_subcommand("hash", "digest a key read from standard input");
  hash->add_option("--env", commands.key_variable,
                   "read it from this environment variable instead");
  hash->callback(
      [&] { action = [&] { return hash_key({std::cin, commands.key_variable}, output); }; });
}

void add_token(CLI::App& app, CredentialCommands& commands, CommandOutput& output,
               std::function<int()>& action) {
  CLI::App* token = app.add_subcommand("token", "examine a token (explain)");
  token->require_subcommand(1);
  CLI::App* explain = token->add_subcommand(
      "explain", "show which principal a token from standard input would prove, or why none");
  explain->add_option("FILE", commands.token.file, "configuration, TOML")->required();
  explain->add_option("--endpoint", commands.token.endpoint, "this endpoint only");
  add_json(*explain, output);
  explain->callback(
      [&] { action = [&] { return explain_token(commands.token, std::cin, output); }; });
}

}  // namespace

void add_credential_commands(CLI::App& app, CredentialCommands& commands, CommandOutput& output,
                             std::function<int()>& action) {
  add_key(app, commands, output, action);
  add_token(app, commands, output, action);
}

}  // namespace bartizan
