#pragma once

#include <string_view>

namespace bartizan {

/// Notifies the supervisor of this process (`READY=1`, `STOPPING=1`), if NOTIFY_SOCKET names one. A
/// message that is not accepted is lost: the supervisor has its own deadline.
///
/// Cost:    never blocks.
/// Source:  sd_notify(3). Children do not inherit the variable.
void tell_supervisor(std::string_view state);

}  // namespace bartizan
