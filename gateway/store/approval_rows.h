#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/store/approvals.h"
#include "gateway/store/database.h"

namespace bartizan {

// The rows of requests for approval and of their answers. Errors: those of `Database`.

/// Whether a statement that answers nothing was run.
Result<void> done(const Result<std::vector<Row>>& rows);

/// The requests of rows with all columns of the table, in its order.
Result<std::vector<ApprovalRequest>> requests_of(const Result<std::vector<Row>>& rows);
Result<std::optional<ApprovalRequest>> find_request(Database& database, const std::string& id);
/// The answers to a request, oldest first.
Result<std::vector<ApprovalAnswer>> find_answers(Database& database, const std::string& id);

/// Adds one that waits.
Result<void> insert_request(Database& database, const ApprovalRequest& request);
/// Input: `proof`, what is kept with it.
Result<void> add_answer(Database& database, const ApprovalAnswer& answer, std::string proof);
/// Writes where a request stands, and until when.
Result<void> write_state(Database& database, const ApprovalRequest& request);

}  // namespace bartizan
