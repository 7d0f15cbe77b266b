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

/// The settings file: `file`, or the first existing one of `client`. If there is none, reports that
/// and returns an empty text.
std::string find_client_file(const ClientSettings& settings, const CommandOutput& output);

/// `bartizan init --write`: puts `bartizan wrap` before the program of each server in the file. The
/// original text is kept beside it, in `FILE.before-bartizan`, which is never replaced. The file is
/// replaced atomically, and not if another program changed it meanwhile. Entries that cannot be
/// wrapped stay unchanged and are listed.
int wrap_client(const ClientSettings& settings, const CommandOutput& output);

/// `bartizan init --undo`: restores the programs of the entries that `wrap_client` changed. Other
/// changes since then stay.
int unwrap_client(const ClientSettings& settings, const CommandOutput& output);

/// Notes about a client's settings, as objects with `pointer` and `message`.
std::vector<JsonObject> notes_json(const std::vector<ClientNote>& notes);

/// The path by which other programs can start this program; `bartizan` if it is unknown.
std::string own_program();

}  // namespace bartizan
