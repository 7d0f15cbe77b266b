#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"
#include "gateway/setup/client_file.h"

namespace bartizan {

/// The settings of a desktop client: a file, or the client's name.
struct ClientSettings {
  std::string file = {};
  std::string client = {};  ///< `claude-desktop`, `claude-code`, `cursor`, `vscode`, `windsurf`.
};

/// The file that is meant: `file`, or the first existing one of `client`; empty, with the reason
/// said, where there is none.
std::string find_client_file(const ClientSettings& settings, const CommandOutput& output);

/// `bartizan init --write`: puts `bartizan wrap` in front of the program of each server in the
/// file. Its text before is kept in a file beside it, `FILE.before-bartizan`, which is never
/// replaced. The file changes whole or not at all, and not where another program changed it
/// meanwhile. Entries that cannot be wrapped stay as they are and are named.
int wrap_client(const ClientSettings& settings, const CommandOutput& output);

/// `bartizan init --undo`: gives the entries that `wrap_client` changed their own programs back.
/// All that was changed since stays.
int unwrap_client(const ClientSettings& settings, const CommandOutput& output);

/// Notes about a client's settings, as objects with `pointer` and `message`.
std::vector<JsonObject> notes_json(const std::vector<ClientNote>& notes);

/// The path of this program, as other programs can start it; `bartizan` where it is not known.
std::string own_program();

}  // namespace bartizan
