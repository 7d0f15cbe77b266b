#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"

namespace bartizan {

namespace limits {
/// Of the file that a gateway writes: what is verified again each time that it has grown. A larger
/// one is verified again once it is closed.
inline constexpr std::uint64_t grown_file_bytes_max = std::uint64_t{64} << 20;
}  // namespace limits

/// Which files of a record were changed after they were indexed.
struct ChangedFiles {
  /// What each file that is whole looks like, for the next time: one line each.
  std::string stamps = {};
  std::vector<std::string> problems = {};  ///< The first problem of each other file.
};

/// Verifies the indexed files of the record at `record` that do not look as they did: another size,
/// or another time of change, which nobody can set. Files with nothing indexed are left to
/// whoever indexes them.
///
/// Input: `stamps` of the last time, empty for none; `indexed`, the last record in the index.
/// Cost:  two reads for each file; about 1.8 µs for each record of a file that changed.
ChangedFiles find_changed_files(const std::string& record, std::string_view stamps,
                                const AuditHead& indexed);

}  // namespace bartizan
