#pragma once

#include <string_view>

namespace bartizan {

/// Tells whoever supervises this process (`READY=1`, `STOPPING=1`), where NOTIFY_SOCKET says that
/// somebody listens. A message that is not taken is lost: the supervisor has its own deadline.
///
/// Cost:    never blocks.
/// Source:  sd_notify(3). Children do not inherit the variable.
void tell_supervisor(std::string_view state);

}  // namespace bartizan
