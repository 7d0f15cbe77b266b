#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// What a rule or a flow of that effect says of approvals. Needs `roles` and `principals`.
ApprovalTerms load_approval_terms(TableReader& table, Effect effect, const Config& config);

}  // namespace bartizan
