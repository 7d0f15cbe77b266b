#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Characters of a server's name.
inline constexpr std::size_t kServerNameMax = 32;

/// What `bartizan wrap` was asked for: its command line is its configuration.
struct WrapOptions {
  std::vector<std::string> command = {};  ///< The server's program and its arguments.
  std::string name = {};              ///< What records call the server; from the program if empty.
  std::string cwd = {};               ///< Working directory of the server.
  std::vector<std::string> env = {};  ///< Names of variables that the server inherits.
  std::vector<std::string> secrets =
      {};  ///< `NAME=file:PATH` or `NAME=env:NAME` for its environment.
  std::vector<std::string> allow = {};    ///< sampling, elicitation, roots
  std::vector<std::string> rates = {};    ///< `10/s`: what the client may ask.
  std::vector<std::string> approve = {};  ///< `TOOL=FINGERPRINT`: definitions that may be used.
  /// `accept` takes tools without the patterns that RE2 cannot express, `quarantine` does not.
  std::string untranslatable_patterns = {};
  std::string timeout = {};             ///< Of one call.
  std::string record = {};              ///< File; see `default_record` if empty.
  std::string digest_key = {};          ///< `file:PATH` or `env:NAME`
  bool answers_only = false;            ///< As `[client] answers_only`.
  std::vector<std::string> tools = {};  ///< Globs of the tools that may be used; empty for all.
  std::vector<std::string> deny = {};   ///< Globs of tools that may not.
  std::string root = {};                ///< Folder that path arguments have to stay in.
  /// Only tools in `approve` whose approved definition says that they only read.
  bool read_only = false;
  std::string log = {};  ///< What is logged: `warning` if empty, or `info`, `debug`, `error`.
};

/// The configuration that a command line means: one server, whose names stay as they are, and the
/// local user, who may use all of it. That the user wrote the entry says so; what remains is what
/// holds in any case: strict reading, bounds, the features that a server may ask for, the record.
/// `tools`, `deny`, `root` and `read_only` narrow it.
///
/// Input:   `user` is the login name, `folder` the absolute path that relative ones start from.
/// Errors:  config_invalid with the option that is wrong.
Result<Config> wrap_config(const WrapOptions& options, std::string_view user,
                           std::string_view folder);

/// The name of a server, `[a-z0-9-]{1,32}`, from what a client or a file calls it: the last part of
/// a path, in lower case, everything else than letters and digits as single dashes.
std::string reduce_to_server_name(std::string_view text);

/// That name, or with a number at its end where `taken`, which then has it, had it before. `server`
/// where nothing of the text can be in a name.
std::string distinct_server_name(std::string_view text, std::set<std::string>& taken);

/// The name of a principal, `[A-Za-z0-9._-]{1,64}`, from a login name.
std::string reduce_to_principal(std::string_view user);

/// Where the records of a wrapped server stand: `STATE/bartizan/NAME.jsonl`, and for the second,
/// third … that runs at the same time `NAME-2.jsonl`, `NAME-3.jsonl` …
std::string default_record(std::string_view state_folder, std::string_view name, unsigned number);

}  // namespace bartizan
