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

/// A loaded configuration. `config` is usable if no problem is an error.
struct LoadedConfig {
  Config config;
  std::vector<ConfigProblem> problems;  ///< All of them, in the order of the files.
  /// The entries of `include` as absolute paths, with any `*`. A new file that matches one also
  /// belongs to the configuration.
  std::vector<std::filesystem::path> include_patterns = {};
  bool usable() const;
};

/// Reads a TOML file and its includes. Reports as many problems as possible in one run. Errors are
/// unknown keys, duplicates, values of a wrong type or out of range, and unknown names. Keys that
/// are known but not built are errors too.
///
/// Errors:  none: an unreadable file is a problem too.
/// Source:  DESIGN.md, "The configuration a security team writes".
LoadedConfig load_config(const std::filesystem::path& file);

/// Reads a configuration whose lock file is about to be written, so the lock file may be missing.
/// Errors: none: they are problems.
LoadedConfig load_config_to_pin(const std::filesystem::path& file);

/// Reads a configuration as it was when its files had these texts. Secrets and other files that it
/// names are read when they are used. Errors: none: they are problems.
LoadedConfig load_config(const ConfigSources& sources);

/// Loads `sources` as they will be after a change. Their permits and the profiles that `permits`
/// names are removed, and the new file is included. Errors: none: they are problems.
LoadedConfig load_with_permits(const ConfigSources& sources, const NewPermits& permits);

/// Reads a configuration from a text that is not a file. `name` appears in problems, and paths
/// resolve against its folder. `include` is an error, so no file is read.
LoadedConfig load_config_text(std::string_view text, const std::string& name);

/// Validates the document, converted to JSON, against `config.schema.json` with valijson. It is the
/// second opinion of `bartizan check`, and keeps schema and loader consistent. Empty if it is
/// valid.
std::vector<ConfigProblem> check_against_schema(const std::filesystem::path& file);
std::vector<ConfigProblem> check_text_against_schema(std::string_view text,
                                                     const std::string& name);

/// The value of a secret, without one trailing newline. A file that others than owner and group can
/// read is refused.
/// Errors: `config_invalid`; its text never has a byte of the secret.
Result<SecretText> read_secret(const SecretReference& reference);

/// Whether the secret's file can be read or changed by everybody on the machine.
bool is_open_to_everyone(const SecretReference& reference);

}  // namespace bartizan
