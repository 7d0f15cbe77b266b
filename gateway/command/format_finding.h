#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/review/command_output.h"
#include "policy/definition/diff_locks.h"
#include "policy/definition/scan_servers.h"

namespace bartizan {

/// `high: files/read_file /description is another text`, followed by the old and new text, if there
/// are any.
std::string format_finding(const LockChange& change, const LockFile& older, const LockFile& newer);
/// `high: files/read_file /description hides zero-width characters (hidden-text)`
std::string format_finding(const LocatedFinding& found);

/// A finding as a JSON object, for programs. `was` and `is`, the old and new values if there are
/// any, are JSON texts.
JsonObject finding_json(const LockChange& change, const LockFile& older, const LockFile& newer);
JsonObject finding_json(const LocatedFinding& found);

/// All findings as SARIF 2.1.0, for code scanning. `place` is the scanned file.
/// Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
std::string findings_sarif(const std::vector<LocatedFinding>& findings, std::string_view place);

}  // namespace bartizan
