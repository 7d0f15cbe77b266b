#include "gateway/call/warn_of_path.h"

#include <string>

#include "gateway/runtime/log.h"

namespace bartizan {

void warn_of_path(const CallFrame& frame, Reason reason) {
  const std::string_view code = text(reason);
  if (!code.starts_with("path_")) return;
  log(LogLevel::warning, "path refused",
      {{"server", std::string(frame.call.server)},
       {"tool", std::string(frame.call.target)},
       {"reason", std::string(code)},
       {"decision_id", std::string(frame.decision_id.view())},
       {"principal", frame.principal().id}});
}

}  // namespace bartizan
