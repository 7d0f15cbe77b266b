#pragma once

#include <functional>
#include <string>

#include "gateway/command/command_key.h"
#include "gateway/command/command_token.h"
#include "gateway/review/command_output.h"

namespace CLI {
class App;
}

namespace bartizan {

/// The options of the commands about keys and tokens.
struct CredentialCommands {
  KeyOptions key;
  std::string key_variable;
  TokenExplainOptions token;
};

/// Adds `key` and `token` to the command line. Each fills `commands`, and sets `action` to its
/// work.
///
/// Lifetime: all arguments outlive the parsing of the command line, and `action`.
void add_credential_commands(CLI::App& app, CredentialCommands& commands, CommandOutput& output,
                             std::function<int()>& action);

}  // namespace bartizan
