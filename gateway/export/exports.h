#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "audit/chain_files.h"
#include "config/config.h"
#include "gateway/export/exporter.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

/// All exports and alerts of one record.
///
/// Threads: one at a time, except for `waits_for` and `announce_head`.
class Exports {
 public:
  /// The exports of a new configuration, opened but not started. Unchanged exports continue.
  struct Change {
    std::map<std::string, std::shared_ptr<Exporter>, std::less<>> opened;
    std::map<std::string, std::string, std::less<>>
        signatures;  ///< Of all exports in the configuration.
    bool empty() const { return opened.empty(); }
  };

  /// `record` is the path of the record. Lifetime: `launcher` outlives this.
  Exports(std::string record, const Launcher& launcher)
      : record_(std::move(record)), launcher_(launcher) {}

  /// Opens the exports that are new or changed, or whose files changed.
  /// Errors: as `Exporter::open`; nothing has changed then.
  Result<Change> prepare(const Config& config) const;
  /// Ends the exports that are no longer configured, and starts those that were opened.
  void apply(Change change);
  /// Lets all sinks get the remaining records, for at most `patience`, and ends.
  void end(std::chrono::milliseconds patience);

  /// Which exports still need a closed file past its retention, as a sentence; empty for none. Each
  /// is waited for no longer than its `hold`.
  /// Threads: any.
  std::string waits_for(const ChainFile& file, std::chrono::system_clock::time_point now,
                        std::chrono::system_clock::duration retention) const;

  /// Sends a signed head to the exports of these names. Threads: any.
  void announce_head(const std::vector<std::string>& names, const std::string& jws);

  /// In the order of their kinds and names. Lifetime: until `apply`.
  std::vector<const Exporter*> all() const;

 private:
  struct Running {
    std::string signature;
    std::shared_ptr<Exporter> exporter;
  };

  const std::string record_;
  const Launcher& launcher_;
  mutable std::mutex mutex_;
  /// By kind and name. Only one thread changes it, under the mutex.
  std::map<std::string, Running, std::less<>> running_;
};

/// `[audit] instance`, or the host's name.
std::string instance_of(const Config& config);

}  // namespace bartizan
