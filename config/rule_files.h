#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/config_file.h"
#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The gitleaks files of detectors, `gitleaks = "PATH"`: absolute path → bytes.
using RuleFiles = FileTexts;

/// The absolute path of the file that a detector's `gitleaks` names. Nothing if it names none.
std::optional<std::string> named_rule_file(const TomlValue& gitleaks, const Problems& problems);

/// Reads the files that the detectors in `root` name; see `read_named_files`. At most 16 files of
/// at most 1 MiB each.
RuleFiles read_rule_files(const TomlValue& root, std::size_t& bytes_left, Problems& problems);

/// Reports every file that a detector names. For a text that is not a file and so cannot name
/// files.
void refuse_rule_files(const TomlValue& root, Problems& problems);

}  // namespace bartizan
