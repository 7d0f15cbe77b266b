#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/scan_definition.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Secrets that an entry of `tools/list` holds, a token as a default say: each detector and place
/// once, of high severity. While a gateway runs, `[redact]` takes them out; a lock file has
/// definitions as they came, and is read by many.
///
/// Threads: any. Cost: that of `StringScanner`; the first call compiles what it looks for.
std::vector<ScanFinding> find_held_secrets(JsonValue entry);

/// A text for a terminal or a report, with a mask in the place of each secret.
std::string without_secrets(std::string_view text);

}  // namespace bartizan
