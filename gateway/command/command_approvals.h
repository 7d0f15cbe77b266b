#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "gateway/command/ask_console.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan approvals`.
struct ApprovalsOptions {
  enum class Act : std::uint8_t { list, show, approve, deny, watch } act = Act::list;
  /// The configuration, unless `door.url` is set; then the id, unless all are listed.
  std::vector<std::string> words;
  ConsoleDoorOptions door;
  std::string why;
  bool is_sure = false;  ///< Approves without asking.
};

/// `bartizan approvals list|show|approve|deny|watch`: decides waiting requests through the console,
/// with an approver's own key. `approve` shows the call and asks first; only a yes approves. The
/// decision applies to the request as shown. If the request has changed since, nothing happens.
///
/// `watch` ends when it is interrupted, or when nobody reads its output.
/// Returns kExitFailed if the console refuses or does not respond, or the approver declined.
/// Returns kExitUsage for wrong words, or if the console or the key cannot be found.
int answer_approvals(const ApprovalsOptions& options, std::istream& input,
                     const CommandOutput& output);

}  // namespace bartizan
