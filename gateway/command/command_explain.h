#pragma once

#include <istream>
#include <string>
#include <vector>

#include "gateway/command/command_audit.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan explain` is asked: a call under a policy, or a decision on record.
struct ExplainOptions {
  std::string asked;         ///< A file with the call, `-` for `input`, or a decision's id.
  std::string policy = {};   ///< A configuration; of a decision, that of the record is compared.
  RecordPlace record = {};   ///< Where the decision is; without files and configuration, a call is.
  std::string capture = {};  ///< A capture that has the call of the decision.
  std::string as = {};       ///< Who calls, a principal or a role; `asked` is then `SERVER/TOOL`.
  std::vector<std::string> arguments = {};  ///< With `as`: see `read_arguments`.
  std::string time = {};  ///< When the call is judged, as `read_moment` reads it; empty for the
                          ///< time that the call has, or now.
};

/// `bartizan explain --policy P CALL.json`: all that the decision about a call goes by. No server
/// runs, and no secret is read. kExitDone for refusals, too: they are answers.
///
/// `bartizan explain --policy P --as ann files/move_file source=a`: the same of a call of a tool
/// that the command line describes.
///
/// `bartizan explain --policy P --capture FILE ID`: the same of a captured call, by the id of the
/// decision or what it begins with.
///
/// `bartizan explain --record FILE ID`: what the record knows of a decision, what is missing to
/// judge it again, and the call as far as it is known, to be filled in.
int explain(const ExplainOptions& options, std::istream& input, const CommandOutput& output);

}  // namespace bartizan
