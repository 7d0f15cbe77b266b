#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/config_sources.h"
#include "config/new_permits.h"
#include "schemas/base/result.h"
#include "schemas/base/secret_text.h"

namespace bartizan {

/// What reading a configuration gave: a usable `config` when no problem is an error.
struct LoadedConfig {
  Config config;
  std::vector<ConfigProblem> problems;  ///< All of them, in the order of the files.
  /// The entries of `include` as whole paths, `*` and all: a file that comes to match one of them
  /// belongs to the configuration too.
  std::vector<std::filesystem::path> include_patterns = {};
  bool usable() const;
};

/// Reads a TOML file and what it includes. Finds every problem it can in one go; unknown keys,
/// duplicates, values of the wrong type or out of range, names that refer to nothing and keys that
/// are known but not built yet are errors with their place.
///
/// Errors:  none: an unreadable file is a problem too.
/// Source:  DESIGN.md, "The configuration a security team writes".
LoadedConfig load_config(const std::filesystem::path& file);

/// Reads a configuration for whoever writes its lock file, which may be missing. Errors: none: what
/// does not load is a problem.
LoadedConfig load_config_to_pin(const std::filesystem::path& file);

/// Reads a configuration as it was when its files were these texts. Secrets and what else it names
/// are read where they are used. Errors: none: what does not load is a problem.
LoadedConfig load_config(const ConfigSources& sources);

/// `sources` as it will be once its permits and the profiles that `permits` names are gone, and the
/// file is included. Errors: none: what does not load is a problem.
LoadedConfig load_with_permits(const ConfigSources& sources, const NewPermits& permits);

/// Reads a configuration from a text that is no file: `name` stands in the problems, paths resolve
/// against its folder, and `include` is an error, so nothing is read.
LoadedConfig load_config_text(std::string_view text, const std::string& name);

/// Checks the document, converted to JSON, against `config.schema.json` with valijson: the second
/// opinion of `bartizan check`, and what keeps schema and loader in step. Empty when it conforms.
std::vector<ConfigProblem> check_against_schema(const std::filesystem::path& file);
std::vector<ConfigProblem> check_text_against_schema(std::string_view text,
                                                     const std::string& name);

/// The secret itself. A file readable by others than owner and group is refused; one trailing
/// newline is removed. Errors: config_invalid; the text never holds a byte of the secret.
Result<SecretText> read_secret(const SecretReference& reference);

/// Whether a secret lies in a file that everybody on the machine may read or change.
bool is_open_to_everyone(const SecretReference& reference);

}  // namespace bartizan
