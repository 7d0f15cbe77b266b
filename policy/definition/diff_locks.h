#pragma once

#include <string>
#include <vector>

#include "config/load/lock_file.h"
#include "policy/definition/finding_severity.h"

namespace bartizan {

/// One difference between two lock files.
struct LockChange {
  FindingSeverity severity = FindingSeverity::low;
  std::string server = {};
  std::string tool = {};     ///< Empty for a difference of the server.
  std::string pointer = {};  ///< Into the definition; for a server, into its part of the file.
  std::string what = {};     ///< In the gateway's words.
  bool operator==(const LockChange&) const = default;
};

/// The differences between an approved lock file and a newer one, in the order of servers and
/// tools: servers, their files, and their tools (as in `diff_definitions`). A new tool is high if
/// `scan_definition` has a finding of high severity for it, and medium otherwise. A server whose
/// tools were pinned by version 1 has one more change, without a pointer. Empty exactly if both
/// files have the same contents.
std::vector<LockChange> diff_locks(const LockFile& older, const LockFile& newer);

}  // namespace bartizan
