#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/scan_definition.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Secrets in an entry of `tools/list`, such as a token as a default. Each detector and place is
/// one finding of high severity. `[redact]` removes them while a gateway runs; a lock file has
/// definitions as they came, and has many readers.
///
/// Threads: any. Cost: that of `StringScanner`; the first call compiles its patterns.
std::vector<ScanFinding> find_held_secrets(JsonValue entry);

/// A text for a terminal or a report, with a mask for each secret.
std::string without_secrets(std::string_view text);

}  // namespace bartizan
