#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// The approval terms of a rule or a flow with that effect. Needs `roles` and `principals`.
ApprovalTerms load_approval_terms(TableReader& table, Effect effect, const Config& config);

}  // namespace bartizan
