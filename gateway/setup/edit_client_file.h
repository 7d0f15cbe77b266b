#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/client_file.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A client's settings with other entries, and what became of each.
struct ClientEdit {
  std::string text;                   ///< The whole file; what is not named stays byte by byte.
  std::vector<std::string> changed;   ///< Pointers of the entries that were changed.
  std::vector<ClientNote> passed_on;  ///< Entries that are given variables of this environment.
  std::vector<ClientNote> unchanged;  ///< Entries that stay as they are, and why.
};

/// Puts `bartizan wrap` in front of the program of each server in a client's settings. `command`
/// and `args` of an entry change; comments, spaces and all other members stay. Variables of `env`
/// stay, too, and are passed on by name. Placeholders such as `${input:key}` remain the client's to
/// fill in.
///
/// Input:  the file's text, as `read_client_file` takes it; `program`, the absolute path of this
///         program; `variables`, the names in this process's environment, of which programs such
///         as npx are passed what they need.
/// Errors: config_invalid as `read_client_file`. An entry that cannot be wrapped is no error: one
///         with a URL, with a transport that is not stdio, with `envFile`, whose variables cannot
///         be known here, or of another form than clients document.
Result<ClientEdit> wrap_entries(std::string_view text, std::string_view program,
                                const std::vector<std::string>& variables);

/// Gives entries that `wrap_entries` changed their `command` and `args` back.
///
/// Input:  `backups`, the texts of the file before it was changed, the newest first.
/// Errors: config_invalid as `read_client_file`, of the file. A backup that cannot be read has no
///         entries.
Result<ClientEdit> unwrap_entries(std::string_view text, std::span<const std::string> backups);

}  // namespace bartizan
