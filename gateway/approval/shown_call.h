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
/// Bytes of what approvers are shown of one call.
inline constexpr std::size_t shown_call_bytes_max = std::size_t{64} << 10;
}  // namespace limits

/// What approvers are shown of a call. Lifetime: views what it was made from.
struct ShownCall {
  const Message& message;    ///< As its client sent it.
  const Message& judged;     ///< As it would leave.
  bool has_secrets = false;  ///< What would leave has values that nobody is shown.
  /// With `has_secrets`: the arguments as they would leave, with tokens in the place of such
  /// values.
  JsonValue shown_arguments = {};
  const ToolDefinition* tool = nullptr;
  std::vector<std::string> history = {};  ///< The calls of its session before it, oldest first.
  std::vector<ArgumentReading> readings = {};  ///< Of what may be shown.
};

/// A JSON object: `params` as the client sent them; `sent_as`, where the call would leave with
/// others, with tokens in the place of secrets; `has_secrets`, where it has any; `tool` with its
/// `name`, `title` and `description`; `history`; `readings`, each with `pointer`, `kind` and
/// `reading`. Nothing where it would be larger than `limits::shown_call_bytes_max`: who approves
/// has to see all.
std::optional<std::string> shown_call(const ShownCall& call);

}  // namespace bartizan
