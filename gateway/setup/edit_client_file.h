#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/client_file.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A client's settings after an edit, with the result of each entry.
struct ClientEdit {
  std::string text;                   ///< The whole file; all other bytes are unchanged.
  std::vector<std::string> changed;   ///< Pointers of the changed entries.
  std::vector<ClientNote> passed_on;  ///< Entries that inherit variables of this environment.
  std::vector<ClientNote> unchanged;  ///< Unchanged entries, with the reasons.
};

/// Puts `bartizan wrap` before the program of each server in a client's settings. It changes only
/// `command` and `args` of an entry, and keeps comments, spaces and all other members. Variables of
/// `env` stay and are passed on by name. The client still fills placeholders such as
/// `${input:key}`.
///
/// Input:  the file's text, as for `read_client_file`; `program`, the absolute path of this
///         program; `variables`, the names in this process's environment. Programs such as npx are
///         passed those that they need.
/// Errors: `config_invalid` as `read_client_file`. An entry that cannot be wrapped is not an error.
///         Such entries have a URL, a transport other than stdio, an `envFile`, whose variables are
///         unknown here, or a form that clients do not document.
Result<ClientEdit> wrap_entries(std::string_view text, std::string_view program,
                                const std::vector<std::string>& variables);

/// Restores `command` and `args` of entries that `wrap_entries` changed.
///
/// Input:  `backups`, earlier texts of the file, the newest first.
/// Errors: `config_invalid` as `read_client_file`, for the file. A backup that cannot be read
///         counts as empty.
Result<ClientEdit> unwrap_entries(std::string_view text, std::span<const std::string> backups);

}  // namespace bartizan
