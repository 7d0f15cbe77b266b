#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "audit/chain_files.h"
#include "config/config.h"
#include "gateway/export/exporter.h"

namespace bartizan {

/// All that is sent of one record.
///
/// Threads: one at a time, but for `waits_for`.
class Exports {
 public:
  /// What is sent by that configuration, opened and not begun. An export whose configuration stays
  /// as it was goes on.
  struct Change {
    std::vector<std::shared_ptr<Exporter>> opened;
  };

  /// `record` is the path of the record.
  explicit Exports(std::string record) : record_(std::move(record)) {}

  /// Opens what is new or was changed.
  /// Errors: as `Exporter::open`; nothing has changed then.
  Result<Change> prepare(const Config& config) const;
  /// Ends what is not configured any more, and begins what was opened.
  void apply(const Config& config, Change change);
  /// Has all sinks get what the record has, for so long at most, and ends.
  void end(std::chrono::milliseconds patience);

  /// Who needs a closed file that is past its retention, as a sentence; empty for nobody. Nobody is
  /// waited for longer than its `hold`.
  /// Threads: any.
  std::string waits_for(const ChainFile& file, std::chrono::system_clock::time_point now,
                        std::chrono::system_clock::duration retention) const;

  /// Has the exports of these names get a signed head.
  void announce_head(const std::vector<std::string>& names, const std::string& jws);

  /// In the order of their names. Lifetime: until `apply`.
  std::vector<const Exporter*> all() const;

 private:
  using Running = std::map<std::string, std::shared_ptr<Exporter>, std::less<>>;

  const std::string record_;
  std::string instance_;
  mutable std::mutex mutex_;
  Running running_;  ///< Changed by one thread, under the mutex; `waits_for` reads it.
};

/// `[audit] instance`, or the name of the host.
std::string instance_of(const Config& config);

}  // namespace bartizan
