#pragma once

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Standard input and output, taken over as a transport. Their old numbers then lead to `/dev/null`
/// and standard error, so that nothing is printed between two messages.
///
/// Threads: one; to be taken before any other thread runs.
class StandardStreams {
 public:
  /// Errors: io_failed if one of them is closed.
  static Result<StandardStreams> take();

  /// Restores the blocking mode of reads and writes, for others that share the open files.
  void restore() const;

  Descriptor input;
  Descriptor output;

 private:
  int input_flags_ = 0;
  int output_flags_ = 0;
};

}  // namespace bartizan
