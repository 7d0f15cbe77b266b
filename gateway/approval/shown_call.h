#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "policy/check/argument_readings.h"
#include "schemas/json/json.h"
#include "schemas/message/message.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

namespace limits {
/// The most bytes of one call as approvers see it.
inline constexpr std::size_t shown_call_bytes_max = std::size_t{64} << 10;
}  // namespace limits

/// The facts of a call for its approvers. Lifetime: views its sources.
struct ShownCall {
  const Message& message;    ///< As its client sent it.
  const Message& judged;     ///< As its server would get it.
  bool has_secrets = false;  ///< The call contains values that nobody may see.
  /// With `has_secrets`: the arguments as the server would get them, with tokens instead of such
  /// values.
  JsonValue shown_arguments = {};
  const ToolDefinition* tool = nullptr;
  std::vector<std::string> history = {};       ///< The earlier calls of its session, oldest first.
  std::vector<ArgumentReading> readings = {};  ///< Of the visible part.
};

/// The call as approvers see it, as a JSON object. `params` are those that the client sent.
/// `sent_as`, if the call would be sent with other parameters, has tokens instead of secrets.
/// `has_secrets` is there if there are any. `tool` has `name`, `title` and `description`. Then
/// follow `history` and `readings`, each of these with `pointer`, `kind` and `reading`. Nothing if
/// it would exceed `limits::shown_call_bytes_max`, since an approver must see the whole call.
std::optional<std::string> shown_call(const ShownCall& call);

}  // namespace bartizan
