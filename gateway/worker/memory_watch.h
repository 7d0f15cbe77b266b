#pragma once

#include <set>

#include "gateway/upstream/upstream.h"

namespace bartizan {

struct Worker;

/// Measures the memory of the servers of one worker, and warns of those above `high_memory`. It
/// warns once, until their memory has been a tenth below in between.
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
