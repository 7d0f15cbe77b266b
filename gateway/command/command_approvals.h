#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "gateway/command/ask_console.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan approvals` is told.
struct ApprovalsOptions {
  enum class Act : std::uint8_t { list, show, approve, deny, watch } act = Act::list;
  /// The configuration, unless `door.url` is set, and then the id, unless all are listed.
  std::vector<std::string> words;
  ConsoleDoorOptions door;
  std::string why;
  bool is_sure = false;  ///< Approves without asking.
};

/// `bartizan approvals list|show|approve|deny|watch`: calls that wait for people, through the
/// console, with an approver's own key. `approve` shows the call and asks first; whatever is no yes
/// is no. What is answered is the request as it was shown: if it has changed since, nothing is
/// done.
///
/// `watch` ends when it is interrupted, or when nobody takes what it writes.
/// Answers kExitFailed where the console refuses or does not answer, or the answer was no;
/// kExitUsage for wrong words, and where the console or the key cannot be found.
int answer_approvals(const ApprovalsOptions& options, std::istream& input,
                     const CommandOutput& output);

}  // namespace bartizan
