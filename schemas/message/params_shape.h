#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/json/json.h"
#include "schemas/message/message.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// What is wrong with the `params` of a message.
struct ParamsFlaw {
  enum class Kind : std::uint8_t {
    misfit,        ///< They do not fit the published schema of the method.
    folded,        ///< A name is that of a member of the method but for letter case.
    other_target,  ///< A member names a target that the method does not have.
    too_costly,    ///< Judging them would cost too much.
  } kind;
  std::string pointer;  ///< Into `params`, `*` for every name that the schema does not have.
};

/// What keeps `params` from being what the revision published for the method, if anything does.
///
/// Absent `params` are `{}`. Members that the schema does not name are let pass, in `_meta` above
/// all, but not where one could name another target: `name`, `uri`, `ref` and `taskId` of `params`,
/// and all of `ref`, `argument` and `notifications`, only where the method has them. That the
/// stateless revision requires a `_meta` is no matter here: without one it is another revision. Of
/// `initialize` no member is required, and its revision is the one that it is answered in.
/// The requests of the tasks extension have no published `params` in 2026-07-28: they name a task
/// and nothing else, and only an update brings answers.
///
/// Input:   a request or a notification of a client.
/// Threads: any. Cost: see `JsonSchema`. The first call of a revision compiles its schemas.
/// Source:  `schemas/mcp`, which is part of the program.
std::optional<ParamsFlaw> find_params_flaw(const Message& message, ProtocolVersion version);

/// Of a client's result, the first member whose name is that of a member of the answers to what
/// servers ask (elicitation, sampling, roots), but for letter case.
/// Source: `schemas/mcp`, 2026-07-28.
JsonValue find_folded_in_answer(JsonValue result);

}  // namespace bartizan
