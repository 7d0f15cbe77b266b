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

/// A name in a directory. Its change may change the target of a path. The name may be the last part
/// of an `include` entry, with its `*`.
struct WatchPoint {
  std::filesystem::path directory;
  std::string name;
  auto operator<=>(const WatchPoint&) const = default;
};
using WatchPoints = std::set<WatchPoint>;

/// Every name on a path, now: the file's own in its directory, and each symbolic link on the way in
/// the directory that holds it. Kubernetes changes a mounted ConfigMap by swapping one such link
/// (`..data`) beside the links of the files. A missing part is watched for in the last existing
/// directory.
WatchPoints watch_points(const std::filesystem::path& path);

/// Every name on the paths of a configuration, now: its files, the possible matches of its
/// `include` entries, and its keys, certificates and secrets.
WatchPoints watch_points(const LoadedConfig& loaded);

/// Reports when a file of a configuration was changed, replaced, removed or added. It uses inotify
/// on the directories, so that it sees renames by editors and swapped links.
///
/// Threads: those of its executor.
class FileWatch {
 public:
  explicit FileWatch(Executor executor);

  /// Errors: io_failed with the cause, such as the system's limit of inotify instances.
  Result<void> open();
  bool is_open() const { return inotify_.is_open(); }
  /// Watches these names and no others. True if some of their directories were not watched before,
  /// so that a change may have been missed.
  /// Errors: io_failed with the directory; the other directories are watched.
  Result<bool> watch(WatchPoints points);
  /// Returns after a change of a watched name, once there were no changes for a moment. A
  /// half-written file is not a configuration.
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
