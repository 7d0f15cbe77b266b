#pragma once

#include <string>
#include <vector>

#include "config/load/lock_file.h"
#include "policy/definition/finding_severity.h"

namespace bartizan {

/// One thing that one lock file says and another does not.
struct LockChange {
  FindingSeverity severity = FindingSeverity::low;
  std::string server = {};
  std::string tool = {};     ///< Empty where it is about the server.
  std::string pointer = {};  ///< Into the definition; of a server, into its part of the file.
  std::string what = {};     ///< In our own words.
  bool operator==(const LockChange&) const = default;
};

/// What differs between what was approved and what would be, in the order of servers and tools:
/// what servers are, the files that they are made of, and their tools, as `diff_definitions` says
/// it. A tool that is new counts as high where `scan_definition` finds something of that severity
/// in it, and as medium otherwise. Of a server whose tools were pinned by version 1 there is one
/// more change, without a pointer. Empty exactly where both files say the same.
std::vector<LockChange> diff_locks(const LockFile& older, const LockFile& newer);

}  // namespace bartizan
