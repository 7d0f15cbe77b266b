#pragma once

#include <string>

#include "policy/explain/trace_call.h"

namespace bartizan {

/// How the parts of a trace, put together by the sentences of the manual, differ from what the
/// checks have decided; empty where they agree.
///
/// Input: a tool call under a policy that enforces.
std::string find_disagreement(const CallTrace& trace);

}  // namespace bartizan
