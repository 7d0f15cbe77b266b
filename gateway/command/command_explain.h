#pragma once

#include <istream>
#include <string>
#include <vector>

#include "gateway/command/command_audit.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan explain`: a call under a policy, or a recorded decision.
struct ExplainOptions {
  std::string asked;  ///< A file with the call, `-` for `input`, or a decision's id.
  /// A configuration. For a decision, it is compared with that of the record.
  std::string policy = {};
  RecordPlace record = {};   ///< The record with the decision. If empty, a call is explained.
  std::string capture = {};  ///< A capture with the decision's call.
  std::string as = {};       ///< The caller, a principal or a role; `asked` is then `SERVER/TOOL`.
  std::vector<std::string> arguments = {};  ///< With `as`: see `read_arguments`.
  std::string time = {};  ///< When the call is judged, as `read_moment` reads it; empty for the
                          ///< time that the call has, or now.
};

/// `bartizan explain --policy P CALL.json`: all grounds of the decision about a call. Starts no
/// server and reads no secret. Returns kExitDone for refusals too.
///
/// `bartizan explain --policy P --as ann files/move_file source=a`: the same for a tool call
/// described on the command line.
///
/// `bartizan explain --policy P --capture FILE ID`: the same for a captured call, by the id of its
/// decision or the beginning of the id.
///
/// `bartizan explain --record FILE ID`: what the record knows about a decision, and what is missing
/// to judge it again. Prints the call as far as it is known, as a template.
int explain(const ExplainOptions& options, std::istream& input, const CommandOutput& output);

}  // namespace bartizan
