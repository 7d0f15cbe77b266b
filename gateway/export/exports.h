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

/// All that is sent of one record: exports and alerts.
///
/// Threads: one at a time, but for `waits_for` and `announce_head`.
class Exports {
 public:
  /// What is sent by a configuration, opened and not begun. What stays as it was goes on.
  struct Change {
    std::map<std::string, std::shared_ptr<Exporter>, std::less<>> opened;
    std::map<std::string, std::string, std::less<>> signatures;  ///< Of all that is to be sent.
    bool empty() const { return opened.empty(); }
  };

  /// `record` is the path of the record. Lifetime: `launcher` outlives this.
  Exports(std::string record, const Launcher& launcher)
      : record_(std::move(record)), launcher_(launcher) {}

  /// Opens what is new, or was changed, be it in a file that it names.
  /// Errors: as `Exporter::open`; nothing has changed then.
  Result<Change> prepare(const Config& config) const;
  /// Ends what is not configured any more, and begins what was opened.
  void apply(Change change);
  /// Has all sinks get what the record has, for so long at most, and ends.
  void end(std::chrono::milliseconds patience);

  /// Who needs a closed file that is past its retention, as a sentence; empty for nobody. Nobody is
  /// waited for longer than its `hold`.
  /// Threads: any.
  std::string waits_for(const ChainFile& file, std::chrono::system_clock::time_point now,
                        std::chrono::system_clock::duration retention) const;

  /// Has the exports of these names get a signed head. Threads: any.
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
  /// By kind and name. Changed by one thread, under the mutex.
  std::map<std::string, Running, std::less<>> running_;
};

/// `[audit] instance`, or the name of the host.
std::string instance_of(const Config& config);

}  // namespace bartizan
