#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/json/json.h"
#include "schemas/message/message.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// The flaw in the `params` of a message.
struct ParamsFlaw {
  enum class Kind : std::uint8_t {
    misfit,        ///< They do not match the published schema of the method.
    folded,        ///< A name differs from a member of the method by letter case only.
    other_target,  ///< A member names a target that the method does not have.
    too_costly,    ///< The check would cost too much.
  } kind;
  std::string pointer;  ///< Into `params`, `*` for every name that the schema does not have.
};

/// Checks `params` against the schema that the revision published for the method. Returns the flaw,
/// if there is one.
///
/// Absent `params` are `{}`. Members without a schema pass, above all in `_meta`. They do not pass
/// if they could name another target: `name`, `uri`, `ref` and `taskId` of `params`, and all
/// members of `ref`, `argument` and `notifications`, are only allowed for methods that have them.
///
/// A missing `_meta` is not a flaw, although the stateless revision requires it: a request without
/// it is of another revision. No member of `initialize` is required, and its revision is that of
/// its response. Requests of the tasks extension have no published `params` in 2026-07-28. They
/// name a task and nothing else, and only an update has answers.
///
/// Input:   a request or a notification of a client.
/// Threads: any.
/// Cost:    see `JsonSchema`. The first call for a revision compiles its schemas.
/// Source:  `schemas/mcp`, which is part of the program.
std::optional<ParamsFlaw> find_params_flaw(const Message& message, ProtocolVersion version);

/// Checks a client's result for server requests (elicitation, sampling, roots). Returns the first
/// member whose name differs from a member of these results by letter case only.
/// Source: `schemas/mcp`, 2026-07-28.
JsonValue find_folded_in_answer(JsonValue result);

}  // namespace bartizan
