#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The settings that differ and that a reload applies, as keys: `audit.durability`. Keys of tables
/// that are compared by their entries, such as rules, are not among them. A key that names files
/// is here if other files are named. Order: by table.
std::vector<std::string> changed_settings(const Config& running, const Config& wanted);

/// The keys that differ and that a running process cannot change. A reload refuses such a file.
/// Order: by table.
std::vector<std::string> restart_keys(const Config& running, const Config& wanted);

/// Whether two exports, or two alerts, are the same, wherever they are written.
bool is_same(const ExportConfig& one, const ExportConfig& other);
bool is_same(const AlertConfig& one, const AlertConfig& other);

}  // namespace bartizan
