#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/runtime/asio.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A name in a directory whose change may change what a path leads to. The last part of an entry of
/// `include` may stand here as it is, `*` and all.
struct WatchPoint {
  std::filesystem::path directory;
  std::string name;
  auto operator<=>(const WatchPoint&) const = default;
};
using WatchPoints = std::set<WatchPoint>;

/// Every name that a path goes through, now: the file's own in its directory, and for each symbolic
/// link on the way the link's name in the directory that holds it. Kubernetes changes a mounted
/// ConfigMap by swapping one such link (`..data`) that stands beside the files' own links.
/// A part that does not exist is watched for in the last directory that does.
WatchPoints watch_points(const std::filesystem::path& path);

/// Every name that the paths of a configuration go through, now: those of its files, of what its
/// `include` entries could match, and of the keys, certificates and secrets that it names.
WatchPoints watch_points(const LoadedConfig& loaded);

/// Tells when a file of a configuration was changed, replaced, removed or added, by inotify on the
/// directories, so that editors that rename and links that are swapped are seen too.
///
/// Threads: those of its executor.
class FileWatch {
 public:
  explicit FileWatch(Executor executor);

  /// Errors: io_failed with the cause, such as the system's limit of inotify instances.
  Result<void> open();
  bool is_open() const { return inotify_.is_open(); }
  /// Watches these names and no others. True when some of their directories were not watched
  /// before, so that a change may have been missed.
  /// Errors: io_failed with the directory; what could be watched is.
  Result<bool> watch(WatchPoints points);
  /// Returns after a change of what is watched, once nothing has changed any more for a moment:
  /// half of what somebody is writing is no configuration.
  Task<Result<void>> changed();

  static constexpr std::chrono::milliseconds kQuiet{200};
  static constexpr std::chrono::seconds kLongestUnrest{2};

 private:
  Result<bool> read_events();
  bool concerns(int watch, std::string_view name) const;
  bool is_missing_something() const;

  Pipe inotify_;
  SteadyTimer timer_;
  std::map<int, std::filesystem::path> directories_;  ///< By watch descriptor.
  WatchPoints points_;
};

}  // namespace bartizan
