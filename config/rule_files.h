#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/config_file.h"
#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The files that detectors name as `gitleaks = "PATH"`: whole path → bytes.
using RuleFiles = FileTexts;

/// The file that the value of a detector's `gitleaks` names, as a whole path; nothing where it
/// names none.
std::optional<std::string> named_rule_file(const TomlValue& gitleaks, const Problems& problems);

/// Reads the files that the detectors in `root` name; see `read_named_files`. Of one file at most
/// 1 MiB, and of 16 files.
RuleFiles read_rule_files(const TomlValue& root, std::size_t& bytes_left, Problems& problems);

/// Reports every file that a detector names: a text that is no file itself can name none.
void refuse_rule_files(const TomlValue& root, Problems& problems);

}  // namespace bartizan
