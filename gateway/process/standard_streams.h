#pragma once

#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Standard input and output, taken over as a transport. Under their old numbers stand `/dev/null`
/// and standard error from then on, so that nothing that prints can get between two messages.
///
/// Threads: one; to be taken before any other thread runs.
class StandardStreams {
 public:
  /// Errors: io_failed when one of them is closed.
  static Result<StandardStreams> take();

  /// Puts back whether reads and writes block, where others share what was opened.
  void restore() const;

  Descriptor input;
  Descriptor output;

 private:
  int input_flags_ = 0;
  int output_flags_ = 0;
};

}  // namespace bartizan
