#pragma once

#include <set>

#include "gateway/upstream/upstream.h"

namespace bartizan {

struct Worker;

/// Looks how much memory the servers of one worker have, and warns of those that have more than
/// `high_memory`: once, until they have had a tenth less in between.
///
/// Bounded: by the instances that run. Threads: those of its worker.
class MemoryWatch {
 public:
  /// Cost: some files of the kernel for each process of a server that has such a bound.
  void look(Worker& worker);

 private:
  std::set<InstanceKey> high_;
};

}  // namespace bartizan
