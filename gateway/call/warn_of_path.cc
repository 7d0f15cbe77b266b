#include "gateway/call/warn_of_path.h"

#include <string>

#include "gateway/runtime/log.h"

namespace bartizan {

void warn_of_path(const CallFrame& frame, Reason reason) {
  const std::string_view code = text(reason);
  if (!code.starts_with("path_")) return;
  // Any other name or URI is the client's, and may hold a secret.
  const bool is_listed = frame.call.facts.tool != nullptr;
  log(LogLevel::warning, "path refused",
      {{"server", std::string(frame.call.server)},
       {"tool", is_listed ? std::string(frame.call.target) : std::string()},
       {"reason", std::string(code)},
       {"decision_id", std::string(frame.decision_id.view())},
       {"principal", frame.principal().id}});
}

}  // namespace bartizan
