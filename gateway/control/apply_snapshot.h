#pragma once

#include <string>
#include <vector>

#include "gateway/worker/worker.h"

namespace bartizan {

/// A configuration that replaces another one.
struct SnapshotChange {
  SnapshotPtr snapshot;
  std::uint64_t revision = 0;
  std::vector<std::string> replaced;         ///< Servers that were removed or redefined.
  std::vector<std::string> gone_principals;  ///< Principals that it no longer names.
  /// When instances of the previous configuration end, even if they are in use.
  std::chrono::steady_clock::time_point others_end;
};

/// The scan database of a configuration. It is `present` if the previous configuration has the same
/// detectors.
/// Errors: as of `compile_scan_database`.
/// Cost:   milliseconds, if it must be compiled.
Result<std::shared_ptr<const ScanDatabase>> renew_scan_database(
    const Config& before, const Config& after, std::shared_ptr<const ScanDatabase> present);

/// Applies the new snapshot on one worker: new calls begin under it. Sessions of principals and
/// keys that it does not accept end, with their streams and instances.
///
/// Threads: the worker's.
void apply_snapshot(Worker& worker, const SnapshotChange& succession);

/// Ends what is no longer needed: sessions and streams whose key was removed or has expired,
/// instances of removed principals, instances of replaced servers. Called every second.
void end_what_is_over(Worker& worker);

}  // namespace bartizan
