#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The longest name of a server, in characters.
inline constexpr std::size_t kServerNameMax = 32;

/// The options of `bartizan wrap`. The command line is its configuration.
struct WrapOptions {
  std::vector<std::string> command = {};  ///< The server's program and its arguments.
  std::string name = {};              ///< The server's name in records; empty: from the program.
  std::string cwd = {};               ///< Working directory of the server.
  std::vector<std::string> env = {};  ///< Names of variables that the server inherits.
  /// `NAME=file:PATH` or `NAME=env:NAME`, for its environment.
  std::vector<std::string> secrets = {};
  std::vector<std::string> allow = {};    ///< sampling, elicitation, roots
  std::vector<std::string> rates = {};    ///< `10/s`: limits on the client.
  std::vector<std::string> approve = {};  ///< `TOOL=FINGERPRINT`: approved definitions.
  /// `accept` admits tools without the patterns that RE2 cannot express; `quarantine` does not.
  std::string untranslatable_patterns = {};
  std::string timeout = {};             ///< For one call.
  std::string record = {};              ///< File; empty: `default_record`.
  std::string digest_key = {};          ///< `file:PATH` or `env:NAME`
  bool answers_only = false;            ///< As `[client] answers_only`.
  std::vector<std::string> tools = {};  ///< Globs of the allowed tools; empty: all.
  std::vector<std::string> deny = {};   ///< Globs of forbidden tools.
  std::string root = {};                ///< Folder that confines path arguments.
  /// Only tools in `approve` whose approved definition has the read-only hint.
  bool read_only = false;
  std::string log = {};  ///< Log level: `warning` if empty, or `info`, `debug`, `error`.
};

/// The configuration of a command line: one server, whose names stay unchanged, and the local user,
/// who may use all of it. The user wrote the entry, so it counts as permission. The unconditional
/// protections remain: strict parsing, bounds, permitted server features and the record. `tools`,
/// `deny`, `root` and `read_only` restrict access.
///
/// Input:   `user`, the login name; `folder`, the absolute base of relative paths.
/// Errors:  `config_invalid` with the wrong option.
Result<Config> wrap_config(const WrapOptions& options, std::string_view user,
                           std::string_view folder);

/// Converts a client's or file's name of a server to `[a-z0-9-]{1,32}`: the last part of a path, in
/// lower case. Other characters than letters and digits become single dashes.
std::string reduce_to_server_name(std::string_view text);

/// That name, with a number appended if `taken` already has it; the result is added to `taken`.
/// `server` if no character of the text fits a name.
std::string distinct_server_name(std::string_view text, std::set<std::string>& taken);

/// Converts a login name to a principal's name, `[A-Za-z0-9._-]{1,64}`.
std::string reduce_to_principal(std::string_view user);

/// The default record file of a wrapped server: `STATE/bartizan/NAME.jsonl`. Further instances at
/// the same time use `NAME-2.jsonl`, `NAME-3.jsonl` and so on.
std::string default_record(std::string_view state_folder, std::string_view name, unsigned number);

}  // namespace bartizan
