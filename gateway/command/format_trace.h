#pragma once

#include "config/described_call.h"
#include "gateway/review/command_output.h"
#include "policy/explain/explain_call.h"

namespace bartizan {

/// The grounds of a decision, for people: first the decision, then each part under its name.
void write_trace(const DescribedCall& call, const ExplainedCall& explained,
                 const CommandOutput& output);

/// The grounds of a decision as one JSON document, for programs.
JsonObject trace_json(const DescribedCall& call, const ExplainedCall& explained);

}  // namespace bartizan
