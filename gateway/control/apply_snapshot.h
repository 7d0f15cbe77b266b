#pragma once

#include <string>
#include <vector>

#include "gateway/worker/worker.h"

namespace bartizan {

/// A configuration that takes over from another one.
struct SnapshotChange {
  SnapshotPtr snapshot;
  std::uint64_t revision = 0;
  std::vector<std::string> replaced;         ///< Servers that were removed or defined anew.
  std::vector<std::string> gone_principals;  ///< Whom the configuration no longer names.
  /// When instances of the one before end, whatever they still do.
  std::chrono::steady_clock::time_point others_end;
};

/// What a configuration looks for in texts: `present`, where the one before looked for the same.
/// Errors: as of `compile_scan_database`. Cost: milliseconds, where it has to be compiled.
Result<std::shared_ptr<const ScanDatabase>> renew_scan_database(
    const Config& before, const Config& after, std::shared_ptr<const ScanDatabase> present);

/// One worker's part: from now on calls begin under the new snapshot. Sessions of principals and
/// keys that it does not accept end, with their streams and instances.
///
/// Threads: the worker's.
void apply_snapshot(Worker& worker, const SnapshotChange& succession);

/// What nobody needs any more: sessions and streams whose key was removed or has expired, instances
/// of principals that are gone, instances of servers that were replaced. Called every second.
void end_what_is_over(Worker& worker);

}  // namespace bartizan
